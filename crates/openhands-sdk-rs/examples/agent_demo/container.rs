//! The container in which the tools work, if the environment asks for one.

use std::sync::Arc;

use anyhow::{Result, bail};
use openhands_sdk_rs::protocol::ConversationId;
use openhands_sdk_rs::runtime::docker::{Docker, DockerRuntimes, DockerSettings, Progress, Step};
use parking_lot::Mutex;

use crate::screen::Progressing;
use crate::show::Show;

/// Containers, if `RUNTIME_ENV` says so. What happens until the first one is ready is shown.
pub(crate) async fn choose(
    show: &mut Show,
    env: &[(String, String)],
) -> Result<Option<Arc<DockerRuntimes>>> {
    let variable = |name: &str| {
        let found = env.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone())
    };
    match variable("RUNTIME_ENV").unwrap_or_default().as_str() {
        "" | "local" => return Ok(None),
        "docker" => {}
        other => bail!("RUNTIME_ENV: {other:?} is neither \"local\" nor \"docker\""),
    }
    let owner = format!("agent-demo-{}", ConversationId::random().hex());
    let docker = Docker::connect(DockerSettings::new(owner).with_environment(variable)).await?;
    let image = docker.settings().image.clone();
    show.note(&format!("Runtime: docker, image {image}"));
    let line = Mutex::new(Progressing::new(show.screen.is_live()));
    let progress = Progress::to(move |step| match step {
        Step::Pulling { done, total, .. } | Step::Building { done, total, .. } if total > 0 => {
            line.lock().bar(&step.to_string(), done, total);
        }
        Step::Ready { .. } => line.lock().end(&step.to_string()),
        _ => line.lock().step(&step.to_string()),
    });
    Ok(Some(Arc::new(DockerRuntimes::new(&docker, progress))))
}

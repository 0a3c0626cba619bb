//! What containers cost: `just figures-docker`. The image is that of `OPENHANDS_TEST_IMAGE`, else ours.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use openhands_protocol::tool::{Action, Tool};
use openhands_protocol::{ConversationId, ToolCallId};
use openhands_runtime::docker::{
    Docker, DockerSandbox, DockerSettings, Progress, SandboxSpec, WarmPool,
};
use openhands_runtime::{RemoteRequest, RemoteRuntime, Runtime as _};
use openhands_tools::{CallContext, Place, Registry};
use std::sync::Arc;

const ROUNDS: usize = 5;

#[tokio::main]
async fn main() -> Result<()> {
    let owner = format!("figures-{}", ConversationId::random().hex());
    let mut settings = DockerSettings::new(owner).with_environment(|name| std::env::var(name).ok());
    if let Ok(image) = std::env::var("OPENHANDS_TEST_IMAGE") {
        settings.image = image;
    }
    settings.warm = 1;
    let docker = Docker::connect(settings).await?;
    let work = tempfile::tempdir()?;

    let plain = rounds(async || plain_run(&docker).await).await?;
    say("docker run of the same image to healthy", &plain)?;
    let cold = rounds(async || cold_start(&docker, work.path()).await).await?;
    say("cold start to the first command done", &cold)?;
    let pool = WarmPool::start(&docker);
    let warm = rounds(async || warm_claim(&pool, work.path()).await).await?;
    say("claim from the pool to the first command done", &warm)?;
    pool.close().await;
    say(
        "20 at once, all with a command done",
        &[twenty(&docker, work.path()).await?],
    )?;
    Ok(())
}

async fn rounds(mut one: impl AsyncFnMut() -> Result<Duration>) -> Result<Vec<Duration>> {
    let mut all = Vec::new();
    for _ in 0..ROUNDS {
        all.push(one().await?);
    }
    all.sort();
    Ok(all)
}

/// The median, the best and the worst.
fn say(what: &str, all: &[Duration]) -> Result<()> {
    let at = |index: usize| all.get(index).map_or(0.0, |time| time.as_secs_f64() * 1e3);
    let (median, best, worst) = (at(all.len() / 2), at(0), at(all.len().saturating_sub(1)));
    writeln!(
        std::io::stdout(),
        "{what}: {median:.0} ms ({best:.0} to {worst:.0})"
    )?;
    Ok(())
}

/// The command line of the engine, as a user would do it.
async fn plain_run(docker: &Docker) -> Result<Duration> {
    let engine = |arguments: &[&str]| -> Result<String> {
        let output = Command::new("docker")
            .args(arguments)
            .output()
            .context("docker")?;
        ensure!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    };
    let began = Instant::now();
    let image = docker.settings().image.as_str();
    let id = engine(&["run", "-d", "--rm", "-p", "127.0.0.1::8000", image])?;
    let address = engine(&["port", &id, "8000"])?;
    let client = reqwest::Client::builder().no_proxy().build()?;
    let url = format!("http://{address}/health");
    while !client
        .get(&url)
        .send()
        .await
        .is_ok_and(|answer| answer.status().is_success())
    {
        ensure!(began.elapsed() < Duration::from_mins(1), "never healthy");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let took = began.elapsed();
    engine(&["rm", "-f", &id])?;
    Ok(took)
}

async fn cold_start(docker: &Docker, work: &Path) -> Result<Duration> {
    let began = Instant::now();
    let spec = SandboxSpec::new(ConversationId::random()).with_directory(work);
    let sandbox = docker.provision(spec, Progress::none()).await?;
    first_command(&sandbox, work).await?;
    let took = began.elapsed();
    sandbox.remove().await?;
    Ok(took)
}

async fn warm_claim(pool: &WarmPool, work: &Path) -> Result<Duration> {
    pool.filled(1).await;
    let began = Instant::now();
    let spec = SandboxSpec::new(ConversationId::random()).with_directory(work);
    let sandbox = pool.claim(spec, Progress::none()).await?;
    first_command(&sandbox, work).await?;
    let took = began.elapsed();
    sandbox.remove().await?;
    Ok(took)
}

async fn twenty(docker: &Docker, work: &Path) -> Result<Duration> {
    let began = Instant::now();
    let one = || async {
        let spec = SandboxSpec::new(ConversationId::random()).with_directory(work);
        let sandbox = docker.provision(spec, Progress::none()).await?;
        first_command(&sandbox, work).await?;
        anyhow::Ok(sandbox)
    };
    let sandboxes = futures_util::future::try_join_all((0..20).map(|_| one())).await?;
    let took = began.elapsed();
    for sandbox in sandboxes {
        sandbox.remove().await?;
    }
    Ok(took)
}

/// A command that needs the shell and the workspace.
async fn first_command(sandbox: &DockerSandbox, work: &Path) -> Result<()> {
    let conversation = sandbox.conversation().context("it has a conversation")?;
    let place = Place {
        working_dir: work.to_owned(),
        persistence_dir: None,
    };
    let tools = vec![Tool::new("terminal")];
    let action: Action = Registry::standard()
        .definitions(&tools, &place)?
        .get("terminal")
        .context("a terminal")?
        .decode(
            serde_json::json!({"command": "pwd"})
                .as_object()
                .context("an object")?,
        )?;
    let request = RemoteRequest {
        conversation,
        root: conversation,
        tools,
        place,
        env: Vec::new(),
    };
    let runtime = RemoteRuntime::new(Arc::new(sandbox.endpoint()), request);
    let cx = CallContext::detached(ToolCallId::new("call"), conversation);
    let said = runtime.execute("terminal", action, cx).await?.text();
    ensure!(said.contains(&work.display().to_string()), "{said}");
    Ok(())
}

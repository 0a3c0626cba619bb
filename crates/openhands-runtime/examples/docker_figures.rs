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
use openhands_runtime::{LocalRuntime, RemoteRequest, RemoteRuntime, Runtime};
use openhands_tools::{CallContext, Machine, Place, Registry};
use std::sync::Arc;

const ROUNDS: usize = 5;
/// Calls without work, here and there in turns.
const CALLS: usize = 300;
/// A cold start may take so much longer than the engine's own command.
const COLD: Duration = Duration::from_millis(200);
const CLAIM: Duration = Duration::from_millis(150);
const CALL: Duration = Duration::from_millis(2);

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

    let (mut plain, mut cold) = (Times::default(), Times::default());
    for _ in 0..ROUNDS {
        plain.0.push(plain_run(&docker).await?);
        cold.0.push(cold_start(&docker, work.path()).await?);
    }
    plain.say("docker run of the same image, to healthy", None)?;
    cold.say(
        "cold start, to the first command done",
        Some(plain.median() + COLD),
    )?;
    let pool = WarmPool::start(&docker);
    let mut warm = Times::default();
    for _ in 0..ROUNDS {
        warm.0.push(warm_claim(&pool, work.path()).await?);
    }
    warm.say(
        "claim from the pool, to the first command done",
        Some(CLAIM),
    )?;
    pool.close().await;
    let (here, there) = calls(&docker, work.path()).await?;
    here.say("a call without work, in this process", None)?;
    there.say("the same call, in a container", Some(here.median() + CALL))?;
    let twenty = Times(vec![twenty(&docker, work.path()).await?]);
    twenty.say("20 at once, until all have a command done", None)
}

/// How long the same thing took, each time.
#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    fn sorted(&self) -> Vec<Duration> {
        let mut all = self.0.clone();
        all.sort();
        all
    }

    fn median(&self) -> Duration {
        let all = self.sorted();
        all.get(all.len() / 2).copied().unwrap_or_default()
    }

    /// The median, the best and the worst, and what the median should be below.
    fn say(&self, what: &str, target: Option<Duration>) -> Result<()> {
        let all = self.sorted();
        let ms = |time: Option<&Duration>| time.map_or(0.0, |time| time.as_secs_f64() * 1e3);
        let (best, worst) = (ms(all.first()), ms(all.last()));
        let median = self.median();
        let verdict = target.map_or(String::new(), |target| {
            let word = if median < target { "met" } else { "missed" };
            format!("; target: under {:.2} ms, {word}", ms(Some(&target)))
        });
        writeln!(
            std::io::stdout(),
            "{what}: {:.2} ms ({best:.2} to {worst:.2}){verdict}",
            ms(Some(&median)),
        )?;
        Ok(())
    }
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

/// The same call, which does next to nothing, in this process and through a container.
async fn calls(docker: &Docker, work: &Path) -> Result<(Times, Times)> {
    let spec = SandboxSpec::new(ConversationId::random()).with_directory(work);
    let sandbox = docker.provision(spec, Progress::none()).await?;
    let machine = Machine {
        place: place(work),
        ..Machine::default()
    };
    let local = LocalRuntime::new(&Registry::standard(), &tools(), &machine)?;
    let remote = runtime_in(&sandbox, work)?;
    let (mut here, mut there) = (Times::default(), Times::default());
    for _ in 0..CALLS {
        here.0.push(call(&local, work).await?);
        there.0.push(call(&remote, work).await?);
    }
    sandbox.remove().await?;
    Ok((here, there))
}

async fn call(runtime: &dyn Runtime, work: &Path) -> Result<Duration> {
    let action = action(
        "task_tracker",
        work,
        &serde_json::json!({"command": "view"}),
    )?;
    let cx = CallContext::detached(ToolCallId::new("call"), ConversationId::random());
    let began = Instant::now();
    let observed = runtime.execute("task_tracker", action, cx).await?;
    let took = began.elapsed();
    ensure!(!observed.is_error(), "{}", observed.text());
    Ok(took)
}

/// A command that needs the shell and the workspace.
async fn first_command(sandbox: &DockerSandbox, work: &Path) -> Result<()> {
    let conversation = sandbox.conversation().context("it has a conversation")?;
    let action = action("terminal", work, &serde_json::json!({"command": "pwd"}))?;
    let runtime = runtime_in(sandbox, work)?;
    let cx = CallContext::detached(ToolCallId::new("call"), conversation);
    let said = runtime.execute("terminal", action, cx).await?.text();
    ensure!(said.contains(&work.display().to_string()), "{said}");
    Ok(())
}

fn tools() -> Vec<Tool> {
    ["terminal", "task_tracker"].map(Tool::new).into()
}

fn place(work: &Path) -> Place {
    Place {
        working_dir: work.to_owned(),
        persistence_dir: None,
    }
}

/// The action of a call with these arguments.
fn action(tool: &str, work: &Path, arguments: &serde_json::Value) -> Result<Action> {
    let definitions = Registry::standard().definitions(&tools(), &place(work))?;
    let definition = definitions.get(tool).context("a tool")?;
    Ok(definition.decode(arguments.as_object().context("an object")?)?)
}

fn runtime_in(sandbox: &DockerSandbox, work: &Path) -> Result<RemoteRuntime> {
    let conversation = sandbox.conversation().context("it has a conversation")?;
    let request = RemoteRequest {
        conversation,
        root: conversation,
        tools: tools(),
        place: place(work),
        env: Vec::new(),
    };
    Ok(RemoteRuntime::new(Arc::new(sandbox.endpoint()), request))
}

//! An engine with an owner of its own for each test, whose containers are removed at the end.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use openhands_protocol::ConversationId;
use openhands_runtime::docker::{
    Docker, DockerSandbox, DockerSettings, Progress, SandboxSpec, SandboxState,
};
use tempfile::TempDir;

pub(crate) struct World {
    pub(crate) docker: Docker,
    pub(crate) settings: DockerSettings,
    pub(crate) dir: TempDir,
}

impl World {
    pub(crate) async fn new() -> Option<Self> {
        Self::with(|_| {}).await
    }

    /// None, and a word about it, where there is no engine or no image.
    pub(crate) async fn with(change: impl FnOnce(&mut DockerSettings)) -> Option<Self> {
        let Ok(image) = std::env::var("OPENHANDS_TEST_IMAGE") else {
            return skip("no OPENHANDS_TEST_IMAGE");
        };
        let owner = format!("test-{}", ConversationId::random().hex());
        let mut settings =
            DockerSettings::new(owner).with_environment(|name| std::env::var(name).ok());
        settings.image = image;
        // Where the engine can give containers no network of their own.
        settings.network = std::env::var("OPENHANDS_TEST_NETWORK").ok();
        change(&mut settings);
        match Docker::connect(settings.clone()).await {
            Ok(docker) => Some(Self {
                docker,
                settings,
                dir: TempDir::new().unwrap(),
            }),
            Err(error) => skip(&format!("no docker: {error}")),
        }
    }

    /// As a server that was started again would do.
    pub(crate) async fn again(&self) -> Docker {
        Docker::connect(self.settings.clone()).await.unwrap()
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn spec(&self) -> SandboxSpec {
        SandboxSpec::new(ConversationId::random()).with_directory(self.path())
    }

    pub(crate) async fn provision(&self, spec: SandboxSpec) -> DockerSandbox {
        self.docker.provision(spec, Progress::none()).await.unwrap()
    }

    pub(crate) fn containers(&self) -> Vec<String> {
        containers_of(&self.settings.owner)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        for id in self.containers() {
            let _ = docker(&["rm", "-f", &id]);
        }
    }
}

pub(crate) fn skip<T>(reason: &str) -> Option<T> {
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{reason}");
    eprintln!("skipped: {reason}");
    None
}

pub(crate) fn containers_of(owner: &str) -> Vec<String> {
    let filter = format!("label=dev.openhands.owner={owner}");
    let (_, out) = docker(&["ps", "-aq", "--no-trunc", "--filter", &filter]);
    out.lines().map(str::to_owned).collect()
}

/// The command line of the engine: whether it worked, and what it said.
pub(crate) fn docker(arguments: &[&str]) -> (bool, String) {
    let output = Command::new("docker").args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success(), text)
}

/// Whether the engine can limit and freeze containers. One without root cannot where control groups are of the first version.
pub(crate) fn has_control_groups() -> bool {
    let has = docker(&["info", "-f", "{{.CgroupDriver}}"]).1 != "none";
    if !has {
        eprintln!("skipped: the engine has no control groups");
    }
    has
}

/// Whether the engine is a user's, who is root inside. With Podman users are themselves.
pub(crate) fn is_rootless() -> bool {
    let options = docker(&["info", "-f", "{{.SecurityOptions}}"]).1;
    options.contains("rootless") && !is_podman()
}

/// Whether the engine is Podman, as the command line of Docker sees it.
pub(crate) fn is_podman() -> bool {
    let server = docker(&[
        "version",
        "-f",
        "{{range .Server.Components}}{{.Name}} {{end}}",
    ])
    .1;
    server.contains("Podman")
}

/// Memory, share of a processor with its period, and processes that a container may have, as the kernel says. What engines say may be
/// what the container was made with.
pub(crate) fn limits(sandbox: &DockerSandbox) -> [String; 3] {
    [
        "cat memory.max 2>/dev/null || cat memory/memory.limit_in_bytes",
        "cat cpu.max 2>/dev/null || echo $(cat cpu/cpu.cfs_quota_us cpu/cpu.cfs_period_us)",
        "cat pids.max 2>/dev/null || cat pids/pids.max",
    ]
    .map(|read| exec(sandbox, &format!("cd /sys/fs/cgroup; {read}")))
}

/// A shell command in a container, as the user of the container.
pub(crate) fn exec(sandbox: &DockerSandbox, command: &str) -> String {
    let (ok, out) = docker(&["exec", sandbox.id(), "bash", "-c", command]);
    assert!(ok, "{command}: {out}");
    out
}

/// What the engine says of a container.
pub(crate) fn inspect(sandbox: &DockerSandbox, format: &str) -> String {
    docker(&["inspect", "-f", format, sandbox.id()]).1
}

/// Waits for a condition, for a minute at most.
pub(crate) async fn eventually(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while !is_so().await {
        assert!(Instant::now() < deadline, "not in a minute: {what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

pub(crate) async fn is_gone(sandbox: &DockerSandbox) -> bool {
    sandbox.state().await.unwrap() == SandboxState::Gone
}

/// The status of a request to the server in a container.
pub(crate) async fn ask(sandbox: &DockerSandbox, path: &str, key: Option<&str>) -> u16 {
    ask_url(&format!("{}{path}", sandbox.endpoint().url), key)
        .await
        .unwrap()
}

pub(crate) async fn ask_url(url: &str, key: Option<&str>) -> Option<u16> {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut request = client.get(url).timeout(Duration::from_secs(10));
    if let Some(key) = key {
        request = request.header("X-Session-API-Key", key);
    }
    Some(request.send().await.ok()?.status().as_u16())
}

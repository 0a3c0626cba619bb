//! The server under test: our program, or the command in `REPLAY_V0_BASE_CMD`, with a workspace of its own.

use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::{Client, Response};
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long a server may take to answer for the first time. The reference loads for long on a busy machine.
const START: Duration = Duration::from_mins(3);
/// A server of tools for the router.
pub(crate) const MCP_SERVER: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/mcp/server.py");
/// How long any answer may take.
const PATIENCE: Duration = Duration::from_mins(2);

/// A running V0 server. Dropped, it is killed with its group.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    /// `http://127.0.0.1:PORT`
    pub(crate) base: String,
    pub(crate) workspace: PathBuf,
    pub(crate) client: Client,
    place: TempDir,
}

/// How a server is started.
#[derive(Debug, Default)]
pub(crate) struct Setup<'a> {
    pub(crate) plugins: &'a [&'a str],
    pub(crate) env: &'a [(&'a str, &'a str)],
    pub(crate) args: &'a [&'a str],
}

impl Server {
    pub(crate) async fn start() -> Self {
        Self::with(Setup::default()).await
    }

    pub(crate) async fn with(setup: Setup<'_>) -> Self {
        let place = tempfile::tempdir().unwrap();
        let workspace = place.path().join("workspace");
        std::fs::create_dir(&workspace).unwrap();
        let port = free_port();
        let mut server = Self {
            child: command(port, &setup, &place)
                .spawn()
                .expect("the server starts"),
            base: format!("http://127.0.0.1:{port}"),
            workspace,
            client: Client::builder().timeout(PATIENCE).build().unwrap(),
            place,
        };
        let began = Instant::now();
        while server
            .client
            .get(server.url("/alive"))
            .send()
            .await
            .is_err()
        {
            let ended = server.child.try_wait().unwrap();
            assert!(
                ended.is_none() && began.elapsed() < START,
                "the server does not answer ({ended:?}): {}",
                server.log()
            );
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        server
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// A path in the workspace.
    pub(crate) fn path(&self, name: &str) -> String {
        self.workspace.join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        self.client.get(self.url(path)).send().await.unwrap()
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let answer = self.client.post(self.url(path)).json(body).send().await;
        let answer = answer.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    /// Carries an action out that must work.
    pub(crate) async fn act(&self, kind: &str, args: Value, timeout: f64) -> Value {
        let action = json!({"action": {"action": kind, "args": args, "timeout": timeout}});
        let (status, body) = self.post("/execute_action", &action).await;
        assert_eq!(status, 200, "{action}: {body}");
        body
    }

    /// Runs a command; gives its observation.
    pub(crate) async fn run(&self, command: &str) -> Value {
        self.act("run", json!({"command": command}), 30.0).await
    }

    /// Runs a command that ends well; gives its output.
    pub(crate) async fn output(&self, command: &str) -> String {
        let observation = self.run(command).await;
        assert_eq!(observation["success"], true, "{observation}");
        observation["content"].as_str().unwrap().to_owned()
    }

    /// Asks it to end, and tells how it did.
    pub(crate) async fn terminate(&mut self) -> std::process::ExitStatus {
        signal("TERM", self.pid());
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(began.elapsed() < Duration::from_secs(20), "it goes on");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// The address of its file viewer.
    pub(crate) fn viewer(&self) -> String {
        std::fs::read_to_string(self.place.path().join("viewer-url")).unwrap()
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.place.path().join("log")).unwrap_or_default()
    }
}

pub(crate) fn signal(name: &str, pid: u32) {
    let sent = Command::new("kill")
        .args(["-s", name, "--", &pid.to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
}

/// A port that nobody listens on.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.local_addr().unwrap().port()
}

pub(crate) fn user_id() -> String {
    rustix::process::geteuid().as_raw().to_string()
}

fn command(port: u16, setup: &Setup<'_>, place: &TempDir) -> Command {
    let ours = format!(
        "{} action-server",
        env!("CARGO_BIN_EXE_openhands-agent-server")
    );
    let base = std::env::var("REPLAY_V0_BASE_CMD").unwrap_or(ours);
    let mut words = base.split_whitespace();
    let mut command = Command::new(words.next().unwrap());
    let home = place.path().join("home");
    std::fs::create_dir_all(&home).unwrap();
    let log = std::fs::File::create(place.path().join("log")).unwrap();
    let username = Command::new("id").arg("-un").output().unwrap().stdout;
    let username = String::from_utf8(username).unwrap().trim().to_owned();
    command
        .args(words)
        .arg(port.to_string())
        .arg("--working-dir")
        .arg(place.path().join("workspace"))
        .args(["--user-id", &user_id(), "--no-enable-browser"])
        .current_dir(place.path())
        // Commands keep the private home of this test.
        .env("SU_TO_USER", "false")
        .env("HOME", &home)
        .env("FILE_VIEWER_URL_FILE", place.path().join("viewer-url"))
        .env("USER", &username)
        .env_remove("SESSION_API_KEY")
        .envs(setup.env.iter().copied())
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .process_group(0);
    if setup.args.contains(&"--username") {
        command.args(setup.args);
    } else {
        command.args(["--username", &username]).args(setup.args);
    }
    if !setup.plugins.is_empty() {
        command.arg("--plugins").args(setup.plugins);
    }
    command
}

impl Drop for Server {
    fn drop(&mut self) {
        let group = i32::try_from(self.child.id())
            .ok()
            .and_then(rustix::process::Pid::from_raw);
        if self.child.try_wait().is_ok_and(|ended| ended.is_none())
            && let Some(group) = group
        {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

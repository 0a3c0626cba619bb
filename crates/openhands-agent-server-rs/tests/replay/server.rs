//! The server under test: our binary, or the command in `REPLAY_BASE_CMD`, as a process of its own.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use std::os::unix::process::CommandExt;

use crate::http::{self, Request};

/// How long a server may take to answer for the first time. The reference loads for long on a busy machine.
const START: Duration = Duration::from_mins(3);

/// A running server. Dropped, it is killed with its group.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    /// `127.0.0.1:PORT`
    pub(crate) authority: String,
}

/// Whether the reference is played against instead of our own server.
pub(crate) fn is_reference() -> bool {
    std::env::var_os("REPLAY_BASE_CMD").is_some()
}

/// The places that a server gets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places<'a> {
    pub(crate) home: &'a Path,
    /// The working directory.
    pub(crate) srv: &'a Path,
    /// Where the reference keeps its shells.
    pub(crate) tmux: &'a Path,
}

impl Server {
    pub(crate) async fn start(places: Places<'_>, env: &[(String, String)]) -> Self {
        let port = free_port();
        let mut server = Self {
            child: command(port, places, env)
                .spawn()
                .expect("the server starts"),
            authority: format!("127.0.0.1:{port}"),
        };
        let began = Instant::now();
        loop {
            let answer = http::send(&server.authority, &Request::new("GET", "/health")).await;
            if answer.is_ok_and(|answer| answer.status == 200) {
                return server;
            }
            let ended = server.child.try_wait().unwrap();
            assert!(
                ended.is_none() && began.elapsed() < START,
                "the server does not answer ({ended:?}): {}",
                log(places.srv)
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args(["-s", name, "--", &self.child.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
    }

    /// How much memory it uses.
    pub(crate) fn memory_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        number.expect("the memory of a running process")
    }

    /// Kills it at once, and waits until it is gone.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits until it has ended by itself, and says how long that took.
    pub(crate) async fn ended(&mut self, limit: Duration) -> Option<Duration> {
        let began = Instant::now();
        while began.elapsed() < limit {
            if self.child.try_wait().unwrap().is_some() {
                return Some(began.elapsed());
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        None
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let group = format!("-{}", self.child.id());
        let _ = Command::new("kill")
            .args(["-s", "KILL", "--", &group])
            .stderr(Stdio::null())
            .status();
        let _ = self.child.wait();
    }
}

fn command(port: u16, places: Places<'_>, env: &[(String, String)]) -> Command {
    let mut command = match std::env::var("REPLAY_BASE_CMD") {
        Ok(base) => {
            let mut shell = Command::new("bash");
            shell.arg("-c").arg(format!("exec {base} \"$@\"")).arg("-");
            shell
        }
        Err(_) => Command::new(env!("CARGO_BIN_EXE_openhands-agent-server")),
    };
    let output = std::fs::File::options()
        .create(true)
        .append(true)
        .open(places.srv.join("server.log"))
        .unwrap();
    command
        .args(["--host", "127.0.0.1", "--port", &port.to_string()])
        .current_dir(places.srv)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", places.home)
        .env("SHELL", "/bin/bash")
        .env("LANG", "C.UTF-8")
        .env("TZ", "UTC")
        .env("TMUX_TMPDIR", places.tmux)
        .env("OPENHANDS_SUPPRESS_BANNER", "1")
        // The reference draws errors for so long that answers are late.
        .env("LOG_JSON", "1")
        .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .envs(env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(output.try_clone().unwrap())
        .stderr(output)
        .process_group(0);
    command
}

/// What the server wrote, for messages of failed tests.
pub(crate) fn log(srv: &Path) -> String {
    let text = std::fs::read(srv.join("server.log")).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.len().saturating_sub(30);
    lines[last..].join("\n")
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

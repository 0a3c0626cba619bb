//! The real program, as a process that can be killed and whose log can be read.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::world::{KEY, PATIENCE};

/// A running server. Dropped, it is killed.
pub(crate) struct Binary {
    child: Child,
    port: u16,
    pub(crate) directory: TempDir,
}

impl Binary {
    pub(crate) async fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        for name in ["home", "work", "srv"] {
            std::fs::create_dir_all(directory.path().join(name)).unwrap();
        }
        let port = {
            let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
            listener.local_addr().unwrap().port()
        };
        let mut binary = Self {
            child: spawn(port, directory.path()),
            port,
            directory,
        };
        binary.healthy().await;
        binary
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Kills it at once.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts another process in its place.
    pub(crate) async fn start_again(&mut self) {
        self.child = spawn(self.port, self.directory.path());
        self.healthy().await;
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.directory.path().join("server.log")).unwrap()
    }

    async fn healthy(&mut self) {
        let began = Instant::now();
        let url = format!("{}/health", self.url());
        while !reqwest::get(&url)
            .await
            .is_ok_and(|got| got.status() == 200)
        {
            let ended = self.child.try_wait().unwrap();
            assert!(
                ended.is_none() && began.elapsed() < PATIENCE,
                "{ended:?}: {}",
                self.log()
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

impl Drop for Binary {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(port: u16, directory: &Path) -> Child {
    let log = std::fs::File::options()
        .create(true)
        .append(true)
        .open(directory.join("server.log"))
        .unwrap();
    Command::new(env!("CARGO_BIN_EXE_openhands-agent-server"))
        .args(["--host", "127.0.0.1", "--port", &port.to_string()])
        .current_dir(directory.join("srv"))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", directory.join("home"))
        .env("OH_SESSION_API_KEYS_0", KEY)
        .env("OH_ENABLE_VSCODE", "false")
        // All that can be said is said, also by the library.
        .env("LOG_LEVEL", "trace,rmcp=trace")
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap()
}

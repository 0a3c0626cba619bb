//! One run of VS Code: from its start to its end.

use std::io;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::time::Duration;

use openhands_sdk_rs::process::{Signal, Spawn, SpawnError, Stdio, Tree, User};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::services::vscode::VsCodeSetup;
use crate::services::vscode::program::Program;

/// What VS Code says when it takes visitors.
const READY: [&str; 2] = ["Web UI available at", "Server bound to"];
/// Longer lines are read in parts.
const MAX_LINE_BYTES: u64 = 16 << 10;

/// Why VS Code does not run.
#[derive(Debug, thiserror::Error)]
pub(super) enum StartError {
    #[error("port {0} is taken")]
    Port(u16),
    #[error("its token cannot be written: {0}")]
    Token(#[source] io::Error),
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    #[error("it ended before it was ready")]
    Ended,
    #[error("it was not ready after {0:?}")]
    Late(Duration),
}

/// A VS Code server that runs.
#[derive(Debug)]
pub(super) struct Child {
    tree: Tree,
    output: Output,
    token: String,
    _token_file: TempDir,
}

type Lines = BufReader<tokio::net::unix::pipe::Receiver>;

/// What it writes; must be read, or it waits.
#[derive(Debug, Default)]
struct Output {
    stdout: Option<Lines>,
    stderr: Option<Lines>,
}

impl Child {
    /// Starts it.
    pub(super) async fn start(
        program: &Program,
        setup: &VsCodeSetup,
        token: &str,
    ) -> Result<Self, StartError> {
        // As it will: it takes visitors from everywhere, so the port must be free on all addresses.
        drop(
            TcpListener::bind(("0.0.0.0", setup.port))
                .await
                .map_err(|_| StartError::Port(setup.port))?,
        );
        // In a file, because the arguments of a process are no secret. VS Code may read it as late as at the first visit.
        let secret = token_file(token, setup.user.as_ref()).map_err(StartError::Token)?;
        let mut spawn = Spawn::new(program.command.clone())
            .args(program.arguments.clone())
            .args(["--host", "0.0.0.0", "--port", &setup.port.to_string()])
            .arg("--connection-token-file")
            .arg(secret.path().join("token"))
            .arg("--disable-workspace-trust");
        if let Some(base_path) = setup.base_path.as_deref().filter(|path| !path.is_empty()) {
            spawn = spawn.args(["--server-base-path", base_path]);
        }
        if let Some(directory) = &setup.directory {
            spawn = spawn.cwd(directory);
        }
        if let Some(user) = &setup.user {
            spawn = spawn.user(user.clone());
        }
        let mut env = setup.env.clone();
        // A code-server around us would make the one that we start wait for orders.
        env.retain(|name, _| name != "CODE_SERVER_PARENT_PID" && name != "VSCODE_IPC_HOOK_CLI");
        let mut tree = spawn
            .envs(env)
            .stdout(Stdio::Pipe)
            .stderr(Stdio::Pipe)
            .start()
            .await?;
        let output = Output {
            stdout: tree.stdout.take().map(BufReader::new),
            stderr: tree.stderr.take().map(BufReader::new),
        };
        Ok(Self {
            tree,
            output,
            token: token.to_owned(),
            _token_file: secret,
        })
    }

    /// Waits until it takes visitors.
    pub(super) async fn ready(&mut self, setup: &VsCodeSetup) -> Result<(), StartError> {
        let said = async {
            while let Some(line) = self.output.line().await {
                self.note(&line);
                if READY.iter().any(|ready| line.contains(ready)) {
                    return true;
                }
            }
            false
        };
        match tokio::time::timeout(setup.start_limit, said).await {
            Ok(true) => Ok(()),
            // Its output is closed: either it has ended, or it speaks to nobody.
            Ok(false) if self.tree.try_wait().is_some() => Err(StartError::Ended),
            Ok(false) | Err(_) => {
                // Another version may use other words.
                TcpStream::connect(("127.0.0.1", setup.port))
                    .await
                    .map(drop)
                    .map_err(|_| StartError::Late(setup.start_limit))
            }
        }
    }

    /// Reads what it writes until it has ended.
    pub(super) async fn ended(&mut self) {
        let Self {
            tree,
            output,
            token,
            ..
        } = self;
        let follow = async {
            while let Some(line) = output.line().await {
                tracing::debug!("VS Code: {}", line.replace(token.as_str(), "**********"));
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            _ = tree.wait() => {}
            () = follow => {}
        }
    }

    /// Asks it to end, and kills what is left after the grace.
    pub(super) async fn end(self, grace: Duration) {
        if let Err(error) = self.tree.terminate(Signal::TERM, grace).await {
            tracing::warn!(%error, "VS Code did not end");
        }
    }

    fn note(&self, line: &str) {
        tracing::debug!(
            "VS Code: {}",
            line.replace(self.token.as_str(), "**********")
        );
    }
}

impl Output {
    /// The next line of either stream; none when both are closed.
    async fn line(&mut self) -> Option<String> {
        loop {
            if self.stdout.is_none() && self.stderr.is_none() {
                return None;
            }
            let (line, which) = tokio::select! {
                line = next_line(self.stdout.as_mut()), if self.stdout.is_some() => (line, &mut self.stdout),
                line = next_line(self.stderr.as_mut()), if self.stderr.is_some() => (line, &mut self.stderr),
            };
            match line {
                Some(line) => return Some(line),
                None => *which = None,
            }
        }
    }
}

/// None at the end. What a cancelled read has taken is lost, which matters to nobody: only words at the start are
/// looked for, and a line comes in one piece.
async fn next_line(pipe: Option<&mut BufReader<impl AsyncRead + Unpin>>) -> Option<String> {
    let mut line = Vec::new();
    let read = pipe?
        .take(MAX_LINE_BYTES)
        .read_until(b'\n', &mut line)
        .await;
    match read {
        Ok(1..) => Some(String::from_utf8_lossy(&line).trim_end().to_owned()),
        Ok(0) | Err(_) => None,
    }
}

/// A file that only the user of VS Code can read, in a directory that goes away with the value.
fn token_file(token: &str, user: Option<&User>) -> io::Result<TempDir> {
    let directory = tempfile::Builder::new()
        .prefix("openhands-vscode-")
        .permissions(std::fs::Permissions::from_mode(0o700))
        .tempdir()?;
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(directory.path().join("token"))?;
    io::Write::write_all(&mut file, token.as_bytes())?;
    if let Some(user) = user {
        for path in [directory.path().join("token").as_path(), directory.path()] {
            std::os::unix::fs::chown(path, Some(user.uid), Some(user.gid))?;
        }
    }
    Ok(directory)
}

//! A server that is a program of ours.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use openhands_process::{HeadTail, KillError, Signal, Spawn, SpawnError, Stdio, Tree};
use parking_lot::Mutex;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;
use tokio_util::task::AbortOnDropHandle;

use super::config::Program;
use super::error::ServerError;

/// What is kept of a server's complaints.
const MAX_STDERR_BYTES: usize = 8 << 10;
/// For the last complaints of a program that has ended.
const STDERR_GRACE: Duration = Duration::from_millis(200);
/// A server is asked to end by the end of its input, then by a signal, each for this long, and then killed.
const END_GRACE: Duration = Duration::from_secs(1);
/// The variables of our environment that a server gets; everything else is for its settings to name.
const INHERITED: [&str; 6] = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];

/// What programs are started with.
#[derive(Debug, Clone, Default)]
pub(super) struct Surroundings {
    pub(super) env: Vec<(OsString, OsString)>,
    pub(super) working_dir: Option<PathBuf>,
}

/// A running server. Dropping it kills it with all that it started.
#[derive(Debug)]
pub(super) struct Process {
    tree: Tree,
    stderr: Arc<Mutex<HeadTail>>,
    /// Ends with the stream.
    reader: AbortOnDropHandle<()>,
}

/// The ends of its pipes: what it says, and what it is told.
pub(super) type Pipes = (pipe::Receiver, pipe::Sender);

impl Process {
    pub(super) async fn start(
        program: &Program,
        surroundings: &Surroundings,
    ) -> Result<(Self, Pipes), ServerError> {
        let inherited = surroundings.env.iter().filter(|(name, value)| {
            // A shell exports its functions as variables; a server has no use for their code.
            INHERITED.iter().any(|known| name == *known)
                && !value.as_encoded_bytes().starts_with(b"()")
        });
        let mut env: indexmap::IndexMap<OsString, OsString> = inherited.cloned().collect();
        for (name, value) in &program.env {
            if let Some(value) = value.expose() {
                env.insert(name.into(), value.into());
            }
        }
        let mut spawn = Spawn::new(&program.command)
            .args(&program.args)
            .envs(env)
            .stdin(Stdio::Pipe)
            .stdout(Stdio::Pipe)
            .stderr(Stdio::Pipe);
        if let Some(directory) = program.cwd.as_ref().or(surroundings.working_dir.as_ref()) {
            spawn = spawn.cwd(directory);
        }
        let mut tree = spawn.start().await.map_err(not_started)?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (tree.stdin.take(), tree.stdout.take(), tree.stderr.take())
        else {
            return Err(ServerError::unknown("the server was started without pipes"));
        };
        let kept = Arc::new(Mutex::new(HeadTail::new(MAX_STDERR_BYTES)));
        let reader = AbortOnDropHandle::new(tokio::spawn(keep(stderr, Arc::clone(&kept))));
        let process = Self {
            tree,
            stderr: kept,
            reader,
        };
        Ok((process, (stdout, stdin)))
    }

    /// Waits until the program has ended; says how.
    pub(super) async fn ended(&self) -> String {
        let exit = self.tree.wait().await;
        format!("the server ended with {exit}")
    }

    /// What happened, with what the server complained about.
    pub(super) async fn explain(&mut self, what: &str) -> String {
        if !self.reader.is_finished() {
            let _ = tokio::time::timeout(STDERR_GRACE, &mut self.reader).await;
        }
        let stderr = self.stderr.lock().join(|_| b"\n...\n".to_vec());
        let stderr = String::from_utf8_lossy(&stderr);
        match stderr.trim() {
            "" => what.to_owned(),
            text => format!("{what}\nStandard error of the server:\n{text}"),
        }
    }

    /// Ends the server, whose input was closed before.
    pub(super) async fn end(self) {
        if tokio::time::timeout(END_GRACE, self.tree.gone())
            .await
            .is_ok()
        {
            return;
        }
        match self.tree.terminate(Signal::TERM, END_GRACE).await {
            Ok(()) | Err(KillError::GuardLost) => {}
            Err(error @ KillError::Survivors { .. }) => {
                tracing::warn!(%error, "an MCP server was not ended completely");
            }
        }
    }
}

/// Reads to the end, so that the server never waits for us, and keeps what fits.
async fn keep(mut stderr: pipe::Receiver, kept: Arc<Mutex<HeadTail>>) {
    let mut buffer = vec![0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
        if let Some(bytes) = buffer.get(..count) {
            kept.lock().push(bytes);
        }
    }
}

/// Why a program did not start, in the words that clients know for the usual mistakes.
fn not_started(error: SpawnError) -> ServerError {
    match error {
        SpawnError::NotFound { program } => ServerError::connection(format!(
            "[Errno 2] No such file or directory: '{}'",
            program.display()
        )),
        SpawnError::PermissionDenied { program } => ServerError::connection(format!(
            "[Errno 13] Permission denied: '{}'",
            program.display()
        )),
        other => ServerError::connection(other),
    }
}

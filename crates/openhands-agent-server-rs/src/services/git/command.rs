//! Running git: one process at a time of its own tree, within its time, with bounded output.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use openhands_sdk_rs::process::{
    Environment, Exit, Spawn, SpawnError, Stdio, Tree, command_environment,
};
use tokio::io::AsyncReadExt as _;
use tokio::sync::Semaphore;

/// How long one process may take.
const TIME_LIMIT: Duration = Duration::from_secs(30);
/// How long one process may take that goes through all files.
const LONG_TIME_LIMIT: Duration = Duration::from_mins(5);
/// What one process may write: the names of a few hundred thousand files.
const MAX_OUTPUT_BYTES: u64 = 64 << 20;
/// How many processes run at the same time, for all callers together.
const MAX_PROCESSES: usize = 8;

/// Why git could not answer. The texts are for clients.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GitError {
    /// There is no repository.
    #[error("Not a git repository: {}", .0.display())]
    NoRepository(PathBuf),
    /// Git said no.
    #[error("Git command failed: {command}")]
    Failed {
        /// What was asked, as a shell would read it.
        command: String,
    },
    /// Git took too long.
    #[error("Git command timed out: {command}")]
    TimedOut {
        /// What was asked.
        command: String,
    },
    /// Git wrote more than is read.
    #[error("Git command wrote more than {MAX_OUTPUT_BYTES} bytes: {command}")]
    TooMuch {
        /// What was asked.
        command: String,
    },
    /// There is no git on this machine.
    #[error("Git command not found. Is git installed?")]
    NoGit,
    /// A file that cannot be compared.
    #[error("{0}")]
    File(String),
}

/// Git on this machine.
#[derive(Debug)]
pub(crate) struct Git {
    env: Environment,
    places: Semaphore,
}

impl Git {
    /// Git with the environment that commands get. `server` is the whole environment of the server.
    pub(crate) fn new(server: &[(String, String)]) -> Self {
        let server = server
            .iter()
            .map(|(name, value)| (name.into(), value.into()));
        let mut env = command_environment(server);
        for (name, value) in [
            // Nobody is there to answer: a question is a failure.
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_ASKPASS", "true"),
            // Looking must not take the lock of the index away from the agent's own git.
            ("GIT_OPTIONAL_LOCKS", "0"),
            // Some answers are read by their words.
            ("LC_ALL", "C"),
        ] {
            env.insert(name.into(), value.into());
        }
        Self {
            env,
            places: Semaphore::new(MAX_PROCESSES),
        }
    }

    /// What git writes to its standard output. A caller that goes away ends the process.
    pub(super) async fn run(
        &self,
        directory: &Path,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Result<Vec<u8>, GitError> {
        self.answer(directory, arguments, &[], TIME_LIMIT).await
    }

    /// The same with more variables, for what may take longer.
    pub(super) async fn run_with(
        &self,
        directory: &Path,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
        env: &[(OsString, OsString)],
    ) -> Result<Vec<u8>, GitError> {
        self.answer(directory, arguments, env, LONG_TIME_LIMIT)
            .await
    }

    /// Starts git with its standard output as a pipe, for output that is read piece by piece.
    pub(super) async fn start(
        &self,
        directory: &Path,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
        env: &[(OsString, OsString)],
    ) -> Result<Tree, GitError> {
        let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
        let command = shown(&arguments);
        match self.spawn(directory, arguments, env).start().await {
            Ok(tree) => Ok(tree),
            Err(SpawnError::NotFound { .. }) => Err(GitError::NoGit),
            Err(error) => {
                tracing::debug!(%error, command, "git does not start");
                Err(GitError::Failed { command })
            }
        }
    }

    async fn answer(
        &self,
        directory: &Path,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
        env: &[(OsString, OsString)],
        limit: Duration,
    ) -> Result<Vec<u8>, GitError> {
        let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
        let command = shown(&arguments);
        // Closed never: a place is always found, sooner or later.
        let _place = self.places.acquire().await.ok();
        match tokio::time::timeout(limit, self.converse(directory, arguments, env)).await {
            Err(_late) => Err(GitError::TimedOut { command }),
            Ok(Err(SpawnError::NotFound { .. })) => Err(GitError::NoGit),
            Ok(Err(error)) => {
                tracing::debug!(%error, command, "git does not start");
                Err(GitError::Failed { command })
            }
            Ok(Ok((Some(Exit::Code(0)), output))) => Ok(output),
            Ok(Ok((None, _))) => Err(GitError::TooMuch { command }),
            Ok(Ok((Some(exit), _))) => {
                tracing::debug!(?exit, command, "git failed");
                Err(GitError::Failed { command })
            }
        }
    }

    /// How git ended, or none if it wrote too much, and what it wrote.
    async fn converse(
        &self,
        directory: &Path,
        arguments: Vec<OsString>,
        env: &[(OsString, OsString)],
    ) -> Result<(Option<Exit>, Vec<u8>), SpawnError> {
        let mut tree = self.spawn(directory, arguments, env).start().await?;
        let mut output = Vec::new();
        if let Some(stdout) = tree.stdout.take() {
            // A pipe that cannot be read ends like one that was closed; the exit code tells.
            let _ = stdout
                .take(MAX_OUTPUT_BYTES + 1)
                .read_to_end(&mut output)
                .await;
        }
        if output.len() as u64 > MAX_OUTPUT_BYTES {
            return Ok((None, Vec::new()));
        }
        Ok((Some(tree.wait().await), output))
    }

    fn spawn(
        &self,
        directory: &Path,
        arguments: Vec<OsString>,
        env: &[(OsString, OsString)],
    ) -> Spawn {
        Spawn::new("git")
            // A monitor that the repository asks for would be started and ended with every look.
            .args(["-c", "core.fsmonitor=false", "--no-pager"])
            .args(arguments)
            .envs(self.env.clone())
            .envs(env.iter().cloned())
            .cwd(directory)
            .stdout(Stdio::Pipe)
    }
}

/// A command line as a shell would read it.
fn shown(arguments: &[OsString]) -> String {
    let mut line = "git --no-pager".to_owned();
    for argument in arguments {
        line.push(' ');
        line.push_str(&quoted(argument));
    }
    line
}

fn quoted(argument: &OsStr) -> String {
    let text = argument.to_string_lossy();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "@%+=:,./-_".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r#"'"'"'"#))
    }
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;

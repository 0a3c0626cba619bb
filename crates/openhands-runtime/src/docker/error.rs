//! Why a container cannot be had.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use bollard::errors::Error as EngineError;

use crate::runtime::RuntimeError;

/// What the system says of a port that somebody has.
const IN_USE: &str = "Address already in use";

/// What went wrong between us and a container.
#[derive(Debug, thiserror::Error)]
pub enum DockerError {
    /// No engine answers.
    #[error("no container engine answers: {}. Start Docker or Podman, or name its socket in DOCKER_HOST", tried.join("; "))]
    NoEngine {
        /// Where it was looked for, each with what came of it.
        tried: Vec<String>,
    },
    /// The image is not there.
    #[error(
        "the image {image} is not on this machine and cannot be pulled ({reason}). Build it with `docker build -t {image} .` in the \
         project's directory, or name another one"
    )]
    ImageMissing {
        /// Which image.
        image: String,
        /// Why it cannot be pulled.
        reason: String,
    },
    /// The image cannot be built.
    #[error("the image {image} cannot be built from {}: {reason}", context.display())]
    Build {
        /// Which image.
        image: String,
        /// The directory that it is built from.
        context: PathBuf,
        /// The last lines of the build, and why it failed.
        reason: String,
    },
    /// A port of the machine is in use.
    #[error("the container cannot have its ports: {0}")]
    PortTaken(String),
    /// The container ended before it was healthy.
    #[error(
        "the container of the image {image} ended with {code} before it answered. {}",
        last_lines(logs)
    )]
    Ended {
        /// Which image.
        image: String,
        /// Its exit code.
        code: i64,
        /// The last lines that it said.
        logs: Vec<String>,
    },
    /// The container never got healthy.
    #[error("the container of the image {image} did not answer within {} seconds. {}", waited.as_secs(), last_lines(logs))]
    Unhealthy {
        /// Which image.
        image: String,
        /// How long it was waited.
        waited: Duration,
        /// The last lines that it said.
        logs: Vec<String>,
    },
    /// The container is gone.
    #[error("the container {0} is gone")]
    Gone(String),
    /// The settings contradict themselves.
    #[error("{0}")]
    Settings(String),
    /// A file or directory of this machine.
    #[error("{action} {}: {source}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// Why it failed.
        #[source]
        source: io::Error,
    },
    /// A directory cannot be shown to a container that runs.
    #[error("mounting {} into the container: {source}", path.display())]
    Mount {
        /// Which directory.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The engine refuses or fails.
    #[error("{action}: {}", told(source))]
    Engine {
        /// What was tried.
        action: &'static str,
        /// What it says.
        #[source]
        source: EngineError,
    },
}

impl DockerError {
    /// An answer of the engine as an error; one that there is no such container is told apart.
    pub(super) fn of(action: &'static str, container: &str, source: EngineError) -> Self {
        if is_missing(&source) {
            Self::Gone(container.to_owned())
        } else {
            Self::Engine { action, source }
        }
    }

    /// Whether other ports may help. In the network of the machine the server inside finds out that its port was taken meanwhile.
    pub(super) fn is_port_taken(&self) -> bool {
        match self {
            Self::PortTaken(_) => true,
            Self::Ended { logs, .. } => logs.iter().any(|line| line.contains(IN_USE)),
            _ => false,
        }
    }

    /// Whether the engine did not answer at all, which may pass by itself.
    pub(super) fn is_silence(&self) -> bool {
        match self {
            Self::Engine { source, .. } => {
                !matches!(source, EngineError::DockerResponseServerError { .. })
            }
            _ => false,
        }
    }
}

impl From<DockerError> for RuntimeError {
    fn from(error: DockerError) -> Self {
        Self::Unreachable(error.to_string())
    }
}

/// Whether the engine answered with one of these codes.
pub(super) fn is_status(error: &EngineError, codes: &[u16]) -> bool {
    matches!(error, EngineError::DockerResponseServerError { status_code, .. } if codes.contains(status_code))
}

/// Whether the engine says that there is no such container, or that it has ended and is not cleared away yet. Podman has a state of its
/// own for that, which the library does not know, and fails with 500 when one goes while it is looked at.
fn is_missing(error: &EngineError) -> bool {
    is_status(error, &[404])
        || is_stopped(error)
        || (is_status(error, &[500]) && told(error).contains("no such container"))
}

/// Whether it is an answer about a container that has ended and is not cleared away yet, by Podman.
pub(super) fn is_stopped(error: &EngineError) -> bool {
    matches!(error, EngineError::JsonDataError { message, .. } if message.contains("`stopped`"))
}

/// Whether a container cannot be made because another one has its name. Podman says so with 500.
pub(super) fn is_name_taken(error: &EngineError) -> bool {
    is_status(error, &[409])
        || (is_status(error, &[500]) && told(error).contains("name is already in use"))
}

/// The engine's own words, without the name of the library's error.
pub(super) fn told(error: &EngineError) -> String {
    match error {
        EngineError::DockerResponseServerError { message, .. } => message.trim().to_owned(),
        other => other.to_string(),
    }
}

fn last_lines(logs: &[String]) -> String {
    if logs.is_empty() {
        return "It said nothing".to_owned();
    }
    let from = logs.len().saturating_sub(20);
    let last = logs.get(from..).unwrap_or_default();
    format!("It said:\n{}", last.join("\n"))
}

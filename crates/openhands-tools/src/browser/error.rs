//! Why the browser did not do what it was asked.

use openhands_process::{Exit, SpawnError};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// How to get a browser, for whoever has none.
pub const HOW_TO_INSTALL: &str = "\
Install one (`apt-get install chromium`, or `npx playwright install chromium`, or Google Chrome), or name its program in the setting \
`executable` or the variable OH_BROWSER_EXECUTABLE";

/// A browser that does not answer, or answers with an error.
#[derive(Debug, Clone, thiserror::Error)]
pub enum BrowserError {
    /// There is no Chromium on this machine.
    #[error("No Chromium was found on this machine. {HOW_TO_INSTALL}.")]
    NoChromium,
    /// The program that was named is not there.
    #[error("The browser {} does not exist. {HOW_TO_INSTALL}.", .0.display())]
    NotThere(PathBuf),
    /// Its process cannot be started.
    #[error("Chromium cannot be started: {0}")]
    Spawn(String),
    /// It ended before it was ready.
    #[error("Chromium ended while it started ({exit}){}", said(.output))]
    Ended {
        /// How.
        exit: Exit,
        /// What it printed last.
        output: String,
    },
    /// It was not ready in time.
    #[error("Chromium was not ready after {} seconds{}", .after.as_secs(), said(.output))]
    SlowStart {
        /// The limit.
        after: Duration,
        /// What it printed last.
        output: String,
    },
    /// Its process is gone.
    #[error(
        "The browser has crashed or was closed. A fresh one is started by the next call; its pages are gone."
    )]
    Gone,
    /// The page's own process is gone.
    #[error("The page {url} crashed. The next call finds an empty tab in its place.")]
    Crashed {
        /// Where it was.
        url: String,
    },
    /// The tab was closed.
    #[error("The tab was closed")]
    TabClosed,
    /// No answer in time.
    #[error("{what} took longer than {} seconds", .limit.as_secs_f64())]
    Timeout {
        /// What was asked.
        what: String,
        /// The limit.
        limit: Duration,
    },
    /// The browser refuses a command.
    #[error("{method}: {message}")]
    Refused {
        /// The command.
        method: String,
        /// Chromium's words.
        message: String,
    },
    /// A script threw.
    #[error("{0}")]
    Script(String),
    /// An address cannot be opened.
    #[error("{text} at {url}")]
    Navigation {
        /// Which.
        url: String,
        /// Chromium's words, such as `net::ERR_CONNECTION_REFUSED`.
        text: String,
    },
    /// A file or folder of ours cannot be made or written.
    #[error("{what}: {problem}")]
    File {
        /// What was being done.
        what: &'static str,
        /// Why it failed.
        problem: String,
    },
    /// What was asked for makes no sense.
    #[error("{0}")]
    Invalid(String),
}

impl BrowserError {
    pub(crate) fn file(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::File {
            what,
            problem: error.to_string(),
        }
    }

    pub(crate) fn timeout(what: impl Into<String>, limit: Duration) -> Self {
        Self::Timeout {
            what: what.into(),
            limit,
        }
    }

    /// Whether the page went away under the call, because it navigated or closed.
    pub fn is_page_change(&self) -> bool {
        let Self::Refused { message, .. } = self else {
            return matches!(self, Self::TabClosed);
        };
        [
            "Cannot find context",
            "context was destroyed",
            "Inspected target navigated",
            "uniqueContextId not found",
            "Session with given id not found",
            "Frame with the given id was not found",
            "No frame for given id found",
        ]
        .iter()
        .any(|known| message.contains(known))
    }
}

impl From<SpawnError> for BrowserError {
    fn from(error: SpawnError) -> Self {
        Self::Spawn(error.to_string())
    }
}

fn said(output: &str) -> String {
    match output.trim() {
        "" => String::new(),
        text => format!(":\n{text}"),
    }
}

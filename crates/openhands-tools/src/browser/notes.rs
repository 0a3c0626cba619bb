//! What happened in the browser besides what was asked: dialogs, downloads, errors of pages, crashes.

use std::collections::VecDeque;
use std::fmt;
use std::path::PathBuf;

/// How many are kept until somebody takes them; older ones are dropped first.
const MAX_NOTES: usize = 50;
/// How much of a page's own words is kept.
const MAX_TEXT: usize = 500;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// A page opened a dialog, and it was answered.
    Dialog {
        /// `alert`, `confirm`, `prompt` or `beforeunload`.
        kind: String,
        /// Its text.
        message: String,
        /// Whether it was accepted.
        accepted: bool,
    },
    /// A file was saved.
    Downloaded {
        /// Where it came from.
        url: String,
        /// Where it is.
        path: PathBuf,
    },
    /// A file was not saved.
    DownloadFailed {
        /// Where it came from.
        url: String,
        /// The name that it would have had.
        name: String,
    },
    /// A page opened a tab.
    NewTab {
        /// Where it is.
        url: String,
    },
    /// The process of a page ended.
    TabCrashed {
        /// Where it was.
        url: String,
        /// Why, if it was us.
        reason: Option<String>,
    },
    /// The browser itself ended, and was started anew.
    BrowserCrashed,
    /// A script of a page threw, or wrote an error to the console.
    ConsoleError {
        /// What it wrote.
        text: String,
    },
    /// A part of a page could not be loaded.
    RequestFailed {
        /// Which.
        url: String,
        /// Chromium's words.
        text: String,
    },
}

impl Note {
    fn url_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Downloaded { url, .. }
            | Self::DownloadFailed { url, .. }
            | Self::NewTab { url }
            | Self::TabCrashed { url, .. }
            | Self::RequestFailed { url, .. } => Some(url),
            Self::Dialog { .. } | Self::BrowserCrashed | Self::ConsoleError { .. } => None,
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dialog {
                kind,
                message,
                accepted,
            } => {
                let answer = if *accepted { "accepted" } else { "dismissed" };
                write!(f, "A dialog ({kind}) was {answer}: {message}")
            }
            Self::Downloaded { url, path } => {
                write!(f, "Downloaded {url} to {}", path.display())
            }
            Self::DownloadFailed { url, name } => {
                write!(f, "The download of {name} from {url} failed")
            }
            Self::NewTab { url } => write!(f, "The page opened a new tab: {url}"),
            Self::TabCrashed { url, reason } => {
                write!(f, "The page {url} crashed")?;
                if let Some(reason) = reason {
                    write!(f, " ({reason})")?;
                }
                f.write_str("; its tab is empty now")
            }
            Self::BrowserCrashed => {
                f.write_str("The browser crashed and was started anew; its pages are gone")
            }
            Self::ConsoleError { text } => write!(f, "Console error: {text}"),
            Self::RequestFailed { url, text } => write!(f, "{text}: {url}"),
        }
    }
}

/// The newest notes.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    kept: VecDeque<Note>,
}

impl Notes {
    pub(crate) fn add(&mut self, mut note: Note) {
        // A page may be at an address that holds all of it (`data:`).
        if let Some(url) = note.url_mut() {
            *url = shortened(url);
        }
        // A page that complains in a loop says it once.
        if self.kept.back() == Some(&note) {
            return;
        }
        if self.kept.len() == MAX_NOTES {
            self.kept.pop_front();
        }
        self.kept.push_back(note);
    }

    pub(crate) fn take(&mut self) -> Vec<Note> {
        self.kept.drain(..).collect()
    }
}

/// The beginning of a page's own words.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

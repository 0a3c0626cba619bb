//! What the file editor tells the model when it cannot do what was asked.

use crate::safe_write::WriteError;

use super::command::Command;
use super::document::SpliceError;

/// Line numbers listed when a text occurs too often; a longer list helps nobody.
pub(super) const MAX_LISTED_LINES: usize = 1000;

/// A refused command. The display form is the text of the observation, and clients match on it.
#[derive(Debug, thiserror::Error)]
pub enum EditorError {
    /// A parameter is there, but not usable.
    #[error("Invalid `{parameter}` parameter: {value}. {hint}")]
    Invalid {
        parameter: &'static str,
        value: String,
        hint: String,
    },
    /// A parameter that this command needs is missing.
    #[error("Parameter `{parameter}` is required for command: {}.", .command.as_str())]
    Missing {
        parameter: &'static str,
        command: Command,
    },
    /// The file is not one that can be read or edited.
    #[error("File validation failed for {path}: {reason}")]
    Unfit { path: String, reason: String },
    #[error("No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}.")]
    NotFound { old_str: String, path: String },
    #[error(
        "No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines {}. Please ensure it is unique.",
        listed(.lines, *.more)
    )]
    Ambiguous {
        old_str: String,
        /// The first lines with an occurrence.
        lines: Vec<usize>,
        /// How many lines follow them.
        more: usize,
    },
    #[error("No edit history found for {path}.")]
    NoHistory { path: String },
    #[error("Ran into {reason} while trying to read {path}")]
    Read { reason: String, path: String },
    #[error("Failed to read image file {path}: {reason}")]
    Image { reason: String, path: String },
    #[error("Ran into {reason} while trying to write to {path}")]
    Write { reason: WriteError, path: String },
    #[error("No edit was made to {path}: {reason}.")]
    Splice { reason: SpliceError, path: String },
    /// A directory could not be listed; the system's own words.
    #[error("{reason}")]
    List { reason: String },
}

fn listed(lines: &[usize], more: usize) -> String {
    let shown: Vec<String> = lines.iter().map(usize::to_string).collect();
    match more {
        0 => format!("[{}]", shown.join(", ")),
        more => format!("[{}, and {more} more]", shown.join(", ")),
    }
}

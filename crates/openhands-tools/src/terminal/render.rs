//! A terminal's answer as the model reads it.

use crate::truncate::{DEFAULT_NOTICE, SaveFull, truncate_middle_saving};
use openhands_protocol::message::Content;
use openhands_protocol::tool::TerminalObservation;
use std::fmt::Write as _;
use std::path::Path;

/// The longest answer, in characters.
pub(crate) const MAX_CHARS: usize = 30_000;

/// The text between prefix and suffix, with what is known of the shell after it, cut in the middle if it is too long.
/// What is cut stays readable in the file that the notice names, where the conversation keeps files.
pub fn for_model(observation: &TerminalObservation) -> String {
    let metadata = &observation.metadata;
    let mut text = format!(
        "{}{}{}",
        metadata.prefix,
        Content::join_text(&observation.content),
        metadata.suffix
    );
    if let Some(directory) = metadata
        .working_dir
        .as_deref()
        .filter(|directory| !directory.is_empty())
    {
        let _ = write!(text, "\n[Current working directory: {directory}]");
    }
    if let Some(python) = metadata
        .py_interpreter_path
        .as_deref()
        .filter(|path| !path.is_empty())
    {
        let _ = write!(text, "\n[Python interpreter: {python}]");
    }
    if metadata.exit_code != -1 {
        let _ = write!(
            text,
            "\n[Command finished with exit code {}]",
            metadata.exit_code
        );
    }
    let save = observation
        .full_output_save_dir
        .as_deref()
        .map(|directory| SaveFull {
            dir: Path::new(directory),
            prefix: super::NAME,
        });
    truncate_middle_saving(&text, MAX_CHARS, DEFAULT_NOTICE, save).into_owned()
}

#[cfg(test)]
#[path = "render_tests.rs"]
mod tests;

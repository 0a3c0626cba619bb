//! The file tools in the shape that Gemini models know: `read_file`, `write_file`, `edit` and `list_directory`.
//!
//! Relative paths start at the workspace; every path may lead out of it.

pub mod edit;
mod lines;
pub mod list_directory;
pub mod read_file;
pub mod write_file;

use std::io;
use std::path::{Path, PathBuf};

use crate::resolve::tidy;
use crate::safe_write::{WriteError, os_error_text};

/// The place that a path of a call names, as it is shown: links stay in it.
fn named(working_dir: &Path, path: &str) -> PathBuf {
    PathBuf::from(tidy(&working_dir.join(path).to_string_lossy()))
}

/// How a failed read or listing is told.
fn read_failure(error: &io::Error, path: &Path, doing: &str) -> String {
    if error.kind() == io::ErrorKind::PermissionDenied {
        return format!("Error: Permission denied: {}", path.display());
    }
    format!("Error {doing}: {}", os_error_text(error, Some(path)))
}

/// How a failed write is told.
fn write_failure(error: &WriteError, file: &Path, doing: &str) -> String {
    if error.kind() == io::ErrorKind::PermissionDenied {
        return format!("Error: Permission denied: {}", file.display());
    }
    format!("Error {doing} file: {error}")
}

#[cfg(test)]
#[path = "gemini_tests.rs"]
mod tests;

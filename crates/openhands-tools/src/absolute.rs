//! Directories that users name.

use std::path::{Path, PathBuf};

/// A path from the root. One that is relative starts where the process does, and no name at all is that directory itself.
///
/// compat: the reference takes an empty working directory for `.`.
pub fn absolute(path: &Path) -> PathBuf {
    let named = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    // It fails only where the process has no directory any more.
    std::path::absolute(named).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
#[path = "absolute_tests.rs"]
mod tests;

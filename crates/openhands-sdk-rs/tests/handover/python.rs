//! Where the Python reference is, or why a test that needs it does nothing.

use std::path::PathBuf;

/// The interpreter that has the reference: `tests/reference/install` prints its path, and `./test` sets the
/// variable. Without it a test says that it was skipped; continuous integration skips nothing.
pub(crate) fn python() -> Option<PathBuf> {
    let python = std::env::var_os("OPENHANDS_REFERENCE_PYTHON").map(PathBuf::from);
    if python.is_none() {
        assert!(
            std::env::var_os("CI").is_none_or(|ci| ci != "true"),
            "OPENHANDS_REFERENCE_PYTHON is not set, and nothing may be skipped here"
        );
        println!("skipped: no reference");
    }
    python
}

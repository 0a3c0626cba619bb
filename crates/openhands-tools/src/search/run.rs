//! What the two search tools share: where they look, how they wait, how they show paths.

use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use super::stop::Stopped;
use crate::blocking::blocking_on_all_cores;
use crate::definition::Hints;
use crate::executor::{CallContext, ToolError};
use crate::registry::CreateError;
use crate::resolve::resolve;

/// A search changes nothing.
pub(super) const READER: Hints = Hints {
    read_only: true,
    destructive: false,
    idempotent: true,
    open_world: false,
};

/// Follows a list of files that was cut.
pub(super) const TRUNCATED_NOTE: &str =
    "\n\n[Results truncated to first 100 files. Consider using a more specific pattern.]";

/// An argument that says something: an empty text counts as none.
pub(super) fn given(argument: Option<&str>) -> Option<&str> {
    argument.filter(|text| !text.is_empty())
}

/// The directory that a `path` argument means.
///
/// compat: a relative one starts from the directory of this process, not from the workspace.
pub(super) fn search_directory(path: &str) -> PathBuf {
    let path = Path::new(path);
    match std::env::current_dir() {
        Ok(current) => resolve(&current.join(path)),
        Err(_) => path.to_path_buf(),
    }
}

/// A path for the model.
pub(super) fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The working directory, if it can be searched.
pub(super) fn usable(working_dir: &Path) -> Result<PathBuf, CreateError> {
    if working_dir.is_dir() {
        return Ok(working_dir.to_path_buf());
    }
    let shown = working_dir.display();
    Err(CreateError::Unusable(format!(
        "working_dir '{shown}' is not a valid directory"
    )))
}

/// Runs a search off the async threads. It ends early when the call is cancelled, and also when nobody waits for it any more.
pub(super) async fn on_all_cores<T: Send + 'static>(
    cx: &CallContext,
    search: impl FnOnce(CancellationToken) -> Result<T, Stopped> + Send + 'static,
) -> Result<T, ToolError> {
    let cancel = cx.cancel.child_token();
    let _ends_with_the_call = cancel.clone().drop_guard();
    let work = blocking_on_all_cores({
        let cancel = cancel.clone();
        move || search(cancel)
    });
    tokio::select! {
        done = work => done?.map_err(|_| ToolError::Cancelled),
        () = cancel.cancelled() => Err(ToolError::Cancelled),
    }
}

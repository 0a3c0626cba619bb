//! Files for file choosers.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::call_log::CallLog;
use super::failure::{failed, said};
use crate::browser::gym::language::{Exception, Mistake};
use crate::browser::{BrowserError, FileChooser, Tab};

/// How long a click may take to open a file chooser.
const CHOOSER: Duration = Duration::from_secs(10);
const TAKE_AWAY: &str = "function () { \
  this.files = new DataTransfer().files; \
  this.dispatchEvent(new Event('input', { bubbles: true, composed: true })); \
  this.dispatchEvent(new Event('change', { bubbles: true })); }";
const METHOD: &str = "FileChooser.set_files";

/// Waits for the file chooser that a click opens, and gives it files.
pub(super) async fn choose(tab: &Tab, files: &[String], directory: &Path) -> Result<(), Mistake> {
    let chooser = match tab.file_chooser(CHOOSER).await {
        Ok(chooser) => chooser,
        Err(BrowserError::Timeout { limit, .. }) => {
            return Err(Mistake::new(
                Exception::TimeoutError,
                format!(
                    "Timeout {}ms exceeded while waiting for event \"filechooser\"",
                    limit.as_millis()
                ),
            ));
        }
        Err(error) => {
            return Err(failed(
                "Page.expect_file_chooser",
                &error,
                &CallLog::default(),
            ));
        }
    };
    let said = |text: &str| said(Exception::Error, METHOD, text, &CallLog::default());
    let paths = check(&chooser, files, directory)
        .await
        .map_err(|text| said(&text))?;
    let Some(node) = chooser.backend_node_id else {
        return Err(said("Error: Node is not an HTMLInputElement"));
    };
    let chosen = if paths.is_empty() {
        take_away(tab, &chooser.session, node).await
    } else {
        tab.set_files(&chooser.session, node, &paths).await
    };
    chosen.map_err(|error| failed(METHOD, &error, &CallLog::default()))
}

/// Takes away what was chosen before; Chromium's own command for files does nothing without one.
async fn take_away(tab: &Tab, session: &str, node: i64) -> Result<(), BrowserError> {
    let params = json!({"backendNodeId": node});
    let resolved = tab.call_in(session, "DOM.resolveNode", params).await?;
    if let Some(object) = resolved.pointer("/object/objectId").and_then(Value::as_str) {
        tab.call_on(session, object, TAKE_AWAY, &[]).await?;
    }
    Ok(())
}

/// The paths of files that are there and that the chooser takes.
async fn check(
    chooser: &FileChooser,
    files: &[String],
    directory: &Path,
) -> Result<Vec<String>, String> {
    let mut paths = Vec::new();
    for file in files {
        let path: PathBuf = directory.join(file);
        let printed = path.display();
        match tokio::fs::metadata(&path).await {
            Ok(about) if about.is_dir() => {
                return Err(
                    "Error: File input does not support directories, pass individual files instead"
                        .to_owned(),
                );
            }
            Ok(_) => paths.push(printed.to_string()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(format!(
                    "ENOENT: no such file or directory, access '{printed}'"
                ));
            }
            Err(error) => return Err(format!("{error}, access '{printed}'")),
        }
    }
    if paths.len() > 1 && !chooser.multiple {
        return Err("Error: Non-multiple file input can only accept single file".to_owned());
    }
    Ok(paths)
}

//! Under which name a server owns containers: made once and kept with its conversations, so that it outlives the process.

use std::io;
use std::path::Path;

use uuid::Uuid;

const FILE: &str = ".sandbox-owner";

/// The name of the server that keeps its conversations in a directory.
pub(super) async fn of(conversations: &Path) -> io::Result<String> {
    let path = conversations.join(FILE);
    tokio::task::spawn_blocking(move || {
        if let Some(name) = read(&path)? {
            return Ok(name);
        }
        let directory = path.parent().unwrap_or_else(|| Path::new("."));
        std::fs::create_dir_all(directory)?;
        let file = tempfile::NamedTempFile::new_in(directory)?;
        std::fs::write(file.path(), Uuid::new_v4().simple().to_string())?;
        match file.persist_noclobber(&path) {
            Ok(_) => {}
            // Another server of the same directory was faster.
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error.error),
        }
        read(&path)?.ok_or_else(|| io::Error::other("the name that was just written is gone"))
    })
    .await
    .map_err(io::Error::other)?
}

/// The name in a file, if there is one that can be a label.
fn read(path: &Path) -> io::Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(name) => {
            let name = name.trim();
            let is_fit = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
            Ok(is_fit.then(|| name.to_owned()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
#[path = "owner_tests.rs"]
mod tests;

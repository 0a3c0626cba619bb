//! The private folder of a kernel: its connection file and its sockets.

use super::error::IPythonError;
use super::wire::hex;
use jupyter_protocol::{ConnectionInfo, Transport};
use openhands_process::User;
use std::fs::{OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Bytes of the key that signs messages.
const KEY_BYTES: usize = 32;

/// Where a kernel is reached. Only its user can open the folder, and only with the key of its file does a message
/// count; both go away with this value.
#[derive(Debug)]
pub(crate) struct Connection {
    folder: TempDir,
    info: ConnectionInfo,
}

impl Connection {
    /// A new folder in `root`, with a connection file that the kernel's user can read.
    pub(crate) async fn make(root: PathBuf, user: Option<User>) -> Result<Self, IPythonError> {
        tokio::task::spawn_blocking(move || Self::write(&root, user.as_ref()))
            .await
            .map_err(|broken| IPythonError::Folder(io::Error::other(broken)))?
            .map_err(IPythonError::Folder)
    }

    fn write(root: &Path, user: Option<&User>) -> io::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("oh-ipython-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(root)?;
        let mut key = [0; KEY_BYTES];
        getrandom::fill(&mut key).map_err(io::Error::other)?;
        let info = ConnectionInfo {
            ip: folder.path().join("k").to_string_lossy().into_owned(),
            transport: Transport::IPC,
            shell_port: 1,
            iopub_port: 2,
            stdin_port: 3,
            control_port: 4,
            hb_port: 5,
            key: hex(&key),
            signature_scheme: "hmac-sha256".to_owned(),
            kernel_name: Some("python3".to_owned()),
        };
        let connection = Self { folder, info };
        let path = connection.file();
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)?;
        file.write_all(&serde_json::to_vec(&connection.info)?)?;
        if let Some(user) = user {
            for path in [path.as_path(), connection.folder.path()] {
                std::os::unix::fs::chown(path, Some(user.uid), Some(user.gid))?;
            }
        }
        Ok(connection)
    }

    /// The connection file.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("connection.json")
    }

    /// Addresses and key.
    pub(crate) fn info(&self) -> &ConnectionInfo {
        &self.info
    }

    /// The socket that a kernel makes last.
    pub(crate) fn last_socket(&self) -> PathBuf {
        PathBuf::from(format!("{}-{}", self.info.ip, self.info.hb_port))
    }
}

#[cfg(test)]
#[path = "connection_tests.rs"]
mod tests;

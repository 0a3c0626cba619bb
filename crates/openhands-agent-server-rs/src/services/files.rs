//! Files and directories of this machine: taken in, given out, listed, archived.
//!
//! What can be large goes through in pieces: [`upload`] from the request to a file aside, [`pipe`] from an archive that is
//! being made to the answer.

pub(crate) mod archive;
pub(crate) mod content_type;
pub(crate) mod directories;
pub(crate) mod pipe;
pub(crate) mod ranges;
mod redact;
pub(crate) mod trajectory;
pub(crate) mod upload;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use openhands_sdk_rs::tools::safe_write::os_error_text;
use thiserror::Error;
use tokio::sync::Semaphore;

use crate::config::Config;

/// Archives that are made at the same time. Each keeps a thread for as long as its reader takes.
const MAX_ARCHIVES: usize = 16;

/// Why a file or directory could not be worked with. The texts are for clients.
#[derive(Debug, Error)]
pub(crate) enum FileError {
    /// The request makes no sense for what is there.
    #[error("{0}")]
    Invalid(String),
    /// There is no such thing.
    #[error("{0}")]
    NotFound(&'static str),
    /// The server may not.
    #[error("Permission denied: {0}")]
    Forbidden(String),
    /// More than is taken in.
    #[error("The file is larger than the limit of {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: u64,
    },
    /// Anything else.
    #[error("{0}")]
    Failed(String),
}

impl FileError {
    pub(crate) fn invalid(text: &str) -> Self {
        Self::Invalid(text.to_owned())
    }

    /// What the system said about a path, if the request is not to blame for it in a known way.
    fn of_system(doing: &str, error: &io::Error, path: &Path) -> Self {
        let said = os_error_text(error, Some(path));
        match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::Forbidden(said)
            }
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidFilename => Self::Invalid(said),
            _ => Self::Failed(format!("{doing}: {said}")),
        }
    }
}

/// What files are subject to on this server.
#[derive(Debug)]
pub(crate) struct Files {
    home: PathBuf,
    max_upload_bytes: Option<u64>,
    /// Lower case, without the dot; none allows all.
    allowed_extensions: Vec<String>,
    archives: Arc<Semaphore>,
}

impl Files {
    /// As the server is set up.
    pub(crate) fn of_config(config: &Config) -> Self {
        let home = config.env.iter().find(|(name, _)| name == "HOME");
        Self::new(
            home.map_or_else(|| PathBuf::from("/"), |(_, home)| PathBuf::from(home)),
            config.max_upload_bytes,
            &config.allowed_upload_extensions,
        )
    }

    /// `home` is the home of the user whom the server runs as.
    pub(crate) fn new(
        home: PathBuf,
        max_upload_bytes: Option<u64>,
        allowed_extensions: &[String],
    ) -> Self {
        let plain = |extension: &String| extension.trim().trim_start_matches('.').to_lowercase();
        Self {
            home,
            max_upload_bytes,
            allowed_extensions: allowed_extensions.iter().map(plain).collect(),
            archives: Arc::new(Semaphore::new(MAX_ARCHIVES)),
        }
    }
}

/// A path from a request, which must be absolute.
pub(crate) fn absolute(path: &str) -> Result<PathBuf, FileError> {
    if path.contains('\0') {
        return Err(FileError::invalid("Path must not contain a null byte"));
    }
    let path = PathBuf::from(path);
    if path.is_absolute() {
        Ok(path)
    } else {
        Err(FileError::invalid("Path must be absolute"))
    }
}

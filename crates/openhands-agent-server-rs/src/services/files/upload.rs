//! A file that comes in: written aside as it comes, and given its name when it is whole.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use openhands_sdk_rs::tools::safe_write::write_file_with;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::{FileError, Files, absolute};

/// Pieces that wait for the disk.
const PIECES: usize = 8;

enum Part {
    Piece(Bytes),
    Whole,
}

/// A file that is being written. Dropping it leaves what was there before.
pub(crate) struct Upload {
    parts: mpsc::Sender<Part>,
    writing: JoinHandle<Result<u64, FileError>>,
    size: u64,
    limit: Option<u64>,
}

impl Files {
    /// The path that a request names, if a file may be put there.
    pub(crate) fn upload_target(&self, path: &str) -> Result<PathBuf, FileError> {
        let path = absolute(path)?;
        if self.allowed_extensions.is_empty() {
            return Ok(path);
        }
        let extension = path
            .extension()
            .unwrap_or_default()
            .to_string_lossy()
            .to_lowercase();
        if self.allowed_extensions.contains(&extension) {
            return Ok(path);
        }
        Err(FileError::Invalid(format!(
            "Files of type '.{extension}' are not taken; allowed are: {}",
            self.allowed_extensions
                .iter()
                .map(|allowed| format!(".{allowed}"))
                .collect::<Vec<_>>()
                .join(", ")
        )))
    }

    /// Begins to write a file, and makes the directories above it.
    pub(crate) fn begin_upload(&self, target: PathBuf) -> Upload {
        Upload::begin(target, self.max_upload_bytes)
    }
}

impl Upload {
    /// Begins to write a file of at most so many bytes, and makes the directories above it.
    pub(crate) fn begin(target: PathBuf, limit: Option<u64>) -> Self {
        let (parts, incoming) = mpsc::channel(PIECES);
        // Ends when the upload is whole or dropped.
        let writing = tokio::task::spawn_blocking(move || store(&target, incoming));
        Self {
            parts,
            writing,
            size: 0,
            limit,
        }
    }

    /// Adds a piece.
    pub(crate) async fn write(&mut self, piece: Bytes) -> Result<(), FileError> {
        self.size += piece.len() as u64;
        if let Some(limit) = self.limit.filter(|limit| self.size > *limit) {
            return Err(FileError::TooLarge { limit });
        }
        // The writer that has ended tells why when it is asked at the end.
        let _ = self.parts.send(Part::Piece(piece)).await;
        Ok(())
    }

    /// All is there: the file takes its name. Gives its size.
    pub(crate) async fn finish(self) -> Result<u64, FileError> {
        let _ = self.parts.send(Part::Whole).await;
        self.writing
            .await
            .unwrap_or_else(|lost| Err(FileError::Failed(format!("Failed to upload file: {lost}"))))
    }
}

fn store(target: &Path, mut parts: mpsc::Receiver<Part>) -> Result<u64, FileError> {
    if let Some(parent) = target.parent() {
        std::fs::create_dir_all(parent).map_err(|error| refused(&error, parent))?;
    }
    let mut size = 0;
    let fill = |file: &mut File| loop {
        match parts.blocking_recv() {
            Some(Part::Piece(piece)) => {
                file.write_all(&piece)?;
                size += piece.len() as u64;
            }
            Some(Part::Whole) => return file.sync_data(),
            None => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
    };
    match write_file_with(target, fill) {
        Ok(()) => Ok(size),
        Err(error) => Err(match error.kind() {
            io::ErrorKind::IsADirectory => FileError::invalid("Path is a directory"),
            _ if target.metadata().is_ok_and(|there| !there.is_file()) => {
                FileError::invalid("Path is not a file")
            }
            _ => refused(error.system(), target),
        }),
    }
}

fn refused(error: &io::Error, path: &Path) -> FileError {
    match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            FileError::invalid("A parent of the path is not a directory")
        }
        _ => FileError::of_system("Failed to upload file", error, path),
    }
}

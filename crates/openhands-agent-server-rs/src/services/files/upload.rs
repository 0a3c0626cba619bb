//! A file that comes in: written aside as it comes, and given its name when it is whole.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, IoSlice, Write as _};
use std::path::{Path, PathBuf};

use bytes::{Bytes, BytesMut};
use openhands_sdk_rs::tools::disk_room::DiskRoom;
use openhands_sdk_rs::tools::safe_write::write_file_with;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::{FileError, Files, absolute};

/// What is handed to the disk at once: a piece of the network is small, and waking the writer for each costs more than writing it.
const BATCH_BYTES: usize = 256 << 10;

/// Smaller pieces are copied together: each is a part of what was read from the network at once, and would keep all the memory that this took.
const SMALL_BYTES: usize = 16 << 10;

/// Files of this size get room on the disk before they are written; smaller ones are written sooner than that.
const WORTH_ROOM_BYTES: u64 = 1 << 20;

/// Batches that wait for the disk.
const BATCHES: usize = 1;

enum Part {
    Batch(Vec<Bytes>),
    Whole,
}

/// A file that is being written. Dropping it leaves what was there before.
pub(crate) struct Upload {
    target: PathBuf,
    batch: Vec<Bytes>,
    /// What comes after it: small pieces.
    small: BytesMut,
    in_batch: usize,
    /// Begun with the first full batch.
    writing: Option<Writing>,
    size: u64,
    limit: Option<u64>,
}

struct Writing {
    parts: mpsc::Sender<Part>,
    task: JoinHandle<Result<u64, FileError>>,
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
        Self {
            target,
            batch: Vec::new(),
            small: BytesMut::new(),
            in_batch: 0,
            writing: None,
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
        self.in_batch += piece.len();
        if piece.len() < SMALL_BYTES {
            self.small.extend_from_slice(&piece);
        } else {
            self.end_small();
            self.batch.push(piece);
        }
        if self.in_batch < BATCH_BYTES {
            return Ok(());
        }
        self.in_batch = 0;
        self.end_small();
        let batch = Part::Batch(std::mem::take(&mut self.batch));
        let target = &self.target;
        let writing = self.writing.get_or_insert_with(|| Writing::begin(target));
        // The writer that has ended tells why when it is asked at the end.
        let _ = writing.parts.send(batch).await;
        Ok(())
    }

    /// Puts the small pieces to the others.
    fn end_small(&mut self) {
        if !self.small.is_empty() {
            self.batch.push(std::mem::take(&mut self.small).freeze());
        }
    }

    /// All is there: the file takes its name. Gives its size.
    pub(crate) async fn finish(mut self) -> Result<u64, FileError> {
        self.end_small();
        let Self {
            target,
            batch,
            writing,
            ..
        } = self;
        let task = match writing {
            Some(Writing { parts, task }) => {
                let _ = parts.send(Part::Batch(batch)).await;
                let _ = parts.send(Part::Whole).await;
                task
            }
            // Small files are written in one go.
            None => tokio::task::spawn_blocking(move || {
                let mut parts = [Part::Batch(batch), Part::Whole].into_iter();
                store(&target, || parts.next())
            }),
        };
        task.await
            .unwrap_or_else(|lost| Err(FileError::Failed(format!("Failed to upload file: {lost}"))))
    }
}

impl Writing {
    fn begin(target: &Path) -> Self {
        let (parts, mut incoming) = mpsc::channel(BATCHES);
        let target = target.to_owned();
        // Ends when the upload is whole or dropped.
        let task = tokio::task::spawn_blocking(move || store(&target, || incoming.blocking_recv()));
        Self { parts, task }
    }
}

/// Writes all parts. They are not forced to the disk, as no program does that copies files: the file is whole or not there for whoever looks,
/// also when the server is killed.
fn store(target: &Path, mut next: impl FnMut() -> Option<Part>) -> Result<u64, FileError> {
    let mut size = 0;
    let has_begun = Cell::new(false);
    let mut fill = |file: &mut File| {
        has_begun.set(true);
        let mut room = DiskRoom::default();
        loop {
            match next() {
                Some(Part::Batch(pieces)) => {
                    let written = size;
                    size += pieces.iter().map(|piece| piece.len() as u64).sum::<u64>();
                    if size >= WORTH_ROOM_BYTES {
                        room.reach(file, written..size);
                    }
                    write_together(file, &pieces)?;
                }
                Some(Part::Whole) => return room.give_back(file, size),
                None => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }
    };
    let mut written = write_file_with(target, &mut fill);
    // Most files go where others are: the directories above are looked at when there was no place for this one.
    if written.is_err()
        && !has_begun.get()
        && let Some(parent) = target.parent().filter(|parent| !parent.is_dir())
    {
        std::fs::create_dir_all(parent).map_err(|error| refused(&error, parent))?;
        written = write_file_with(target, fill);
    }
    match written {
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

/// Writes pieces that follow each other with as few calls as can be: much at once takes the kernel less time than little by little.
fn write_together(mut file: &File, pieces: &[Bytes]) -> io::Result<()> {
    let mut slices: Vec<_> = pieces.iter().map(|piece| IoSlice::new(piece)).collect();
    let mut left = slices.as_mut_slice();
    while !left.is_empty() {
        match file.write_vectored(left) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut left, written),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn refused(error: &io::Error, path: &Path) -> FileError {
    match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            FileError::invalid("A parent of the path is not a directory")
        }
        _ => FileError::of_system("Failed to upload file", error, path),
    }
}

#[cfg(test)]
#[path = "upload_tests.rs"]
mod tests;

//! All output of a command in one answer, for who waits for its end.
//!
//! Nothing is copied for it where that can be helped: little output stays in memory as the events have it, and large pieces
//! are read again from the files of their events when the answer is sent. Only many small pieces that are large
//! together, and more pieces than files may be open, are written once more, to a file without a name.

use std::fs::File;
use std::io::{self, IoSliceMut, Write as _};
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt as _};
use openhands_protocol::Form;
use openhands_protocol::bash::BashOutput;
use openhands_sdk_rs::tools::blocking;
use parking_lot::Mutex;
use rustix::io::ReadWriteFlags;

use super::written::{NO_TEXT, Written};

/// What is held in memory, both streams together, with the events around the text.
const MAX_IN_MEMORY: usize = 1 << 20;

/// A piece of this size is worth an open file, and is not kept in memory.
pub(super) const MIN_OWN_FILE: usize = 128 << 10;

/// How many files of events are kept open for one answer.
const MAX_OPEN_FILES: usize = 64;

/// What is read from a file at once, and how many such pieces are ahead of the client.
const READ_BYTES: u64 = 256 << 10;
const READS_AHEAD: usize = 2;

/// An output that was stored, or at least announced.
#[derive(Debug)]
pub(super) struct Stored {
    /// The event without its text.
    pub(super) output: BashOutput,
    pub(super) text: Text,
}

/// Where the JSON of an output is.
#[derive(Debug)]
pub(super) enum Text {
    /// Here. It is small, or could not be stored.
    Memory(Written),
    /// In the file of its event, at these places.
    File {
        file: File,
        stdout: Range<usize>,
        stderr: Range<usize>,
    },
}

/// The output of a command so far.
pub(crate) struct Joined {
    /// The last event, without its text.
    last: Option<BashOutput>,
    stdout: Vec<Part>,
    stderr: Vec<Part>,
    in_memory: usize,
    open_files: usize,
    spool: Spool,
}

/// Text as JSON has it between quotes.
#[derive(Debug, Clone)]
enum Part {
    Memory(Bytes),
    File(Arc<File>, Range<u64>),
}

impl Part {
    fn len(&self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::File(_, range) => range.end - range.start,
        }
    }
}

impl Joined {
    /// Nothing yet. Large output is kept in this directory meanwhile, if that can be done.
    pub(super) fn new(directory: &Path) -> Self {
        Self {
            last: None,
            stdout: Vec::new(),
            stderr: Vec::new(),
            in_memory: 0,
            open_files: 0,
            spool: Spool::new(directory),
        }
    }

    /// Takes the next event.
    pub(super) async fn push(mut self, stored: Stored) -> io::Result<Self> {
        self.last = Some(stored.output);
        let (stdout, stderr, spools) = match stored.text {
            Text::Memory(written) => {
                let spools = self.in_memory + written.json.len() > MAX_IN_MEMORY;
                if !spools {
                    self.in_memory += written.json.len();
                }
                let stdout = Part::Memory(written.json.slice(written.stdout));
                let stderr = Part::Memory(written.json.slice(written.stderr));
                (stdout, stderr, spools)
            }
            Text::File {
                file,
                stdout,
                stderr,
            } => {
                let spools = self.open_files >= MAX_OPEN_FILES;
                if !spools {
                    self.open_files += 1;
                }
                let file = Arc::new(file);
                let part = |range: Range<usize>| {
                    Part::File(Arc::clone(&file), range.start as u64..range.end as u64)
                };
                (part(stdout), part(stderr), spools)
            }
        };
        if !spools {
            self.stdout
                .extend(Some(stdout).filter(|part| part.len() > 0));
            self.stderr
                .extend(Some(stderr).filter(|part| part.len() > 0));
            return Ok(self);
        }
        blocking(move || {
            let this = &mut self;
            this.spool.push(stdout, &mut this.stdout)?;
            this.spool.push(stderr, &mut this.stderr)?;
            Ok(self)
        })
        .await
        .map_err(io::Error::other)?
    }

    /// Whether there was any event.
    pub(super) fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// The answer as JSON: its length, and its bytes piece by piece.
    pub(crate) fn into_json(
        self,
    ) -> io::Result<(u64, impl Stream<Item = io::Result<Bytes>> + Send + 'static)> {
        let text = Form::REST.to_string(&self.last).map_err(io::Error::other)?;
        let (head, tail) = text
            .split_once(NO_TEXT)
            .ok_or_else(|| io::Error::other("an output without a place for text"))?;
        let mut parts = Vec::new();
        quote(&mut parts, format!(r#"{head}"stdout":"#), self.stdout);
        quote(&mut parts, r#","stderr":"#.to_owned(), self.stderr);
        parts.push(Part::Memory(Bytes::copy_from_slice(tail.as_bytes())));
        let length = parts.iter().map(Part::len).sum();
        let pieces = stream::iter(parts.into_iter().flat_map(in_pieces));
        let rooms = Rooms::default();
        let read = move |part| read(part, rooms.clone());
        Ok((length, pieces.map(read).buffered(READS_AHEAD)))
    }

    /// The answer as a value.
    #[cfg(test)]
    pub(crate) async fn into_output(self) -> BashOutput {
        let (length, pieces) = self.into_json().unwrap();
        let pieces: Vec<_> = pieces.collect().await;
        let json = pieces.into_iter().map(Result::unwrap).collect::<Vec<_>>();
        let json = json.concat();
        assert_eq!(json.len() as u64, length);
        serde_json::from_slice(&json).unwrap()
    }
}

/// Appends a JSON string after `head`, or null if there is no text.
fn quote(to: &mut Vec<Part>, head: String, text: Vec<Part>) {
    let (open, close) = if text.is_empty() {
        ("null", "")
    } else {
        ("\"", "\"")
    };
    to.push(Part::Memory(Bytes::from(head + open)));
    to.extend(text);
    to.push(Part::Memory(Bytes::from_static(close.as_bytes())));
}

/// Cuts what is in a file into what is read at once.
fn in_pieces(part: Part) -> Vec<Part> {
    match part {
        Part::Memory(bytes) if bytes.is_empty() => Vec::new(),
        Part::Memory(_) => vec![part],
        Part::File(file, range) => range
            .clone()
            .step_by(usize::try_from(READ_BYTES).unwrap_or(usize::MAX))
            .map(|at| Part::File(Arc::clone(&file), at..range.end.min(at + READ_BYTES)))
            .collect(),
    }
}

async fn read(part: Part, rooms: Rooms) -> io::Result<Bytes> {
    match part {
        Part::Memory(bytes) => Ok(bytes),
        Part::File(file, range) => {
            // Memory of the few threads that serve requests: the allocator keeps some for each thread that ever took any, and
            // there are many that read files.
            let mut room = rooms.take(length_of(&range));
            // What was written a moment ago is in the kernel's memory still. To copy it from there takes less time than to wake another
            // thread for it, and waits for no disk.
            if !read_at_once(&file, &range, &mut room.bytes) {
                let read = blocking(move || {
                    file.read_exact_at(&mut room.bytes, range.start)?;
                    Ok::<_, io::Error>(room)
                });
                room = read.await.map_err(io::Error::other)??;
            }
            Ok(Bytes::from_owner(room))
        }
    }
}

/// Reads all of a range, if that can be done without waiting.
fn read_at_once(file: &File, range: &Range<u64>, room: &mut [u8]) -> bool {
    let length = room.len();
    let mut rooms = [IoSliceMut::new(room)];
    let read = rustix::io::preadv2(file, &mut rooms, range.start, ReadWriteFlags::NOWAIT);
    read == Ok(length)
}

fn length_of(range: &Range<u64>) -> usize {
    usize::try_from(range.end - range.start).unwrap_or(usize::MAX)
}

/// Memory that one answer is read to, used again when a piece of it is sent.
#[derive(Debug, Clone, Default)]
struct Rooms(Arc<Mutex<Vec<Vec<u8>>>>);

struct Room {
    bytes: Vec<u8>,
    rooms: Rooms,
}

impl Rooms {
    fn take(&self, length: usize) -> Room {
        let mut bytes = self.0.lock().pop().unwrap_or_default();
        bytes.resize(length, 0);
        Room {
            bytes,
            rooms: self.clone(),
        }
    }
}

impl AsRef<[u8]> for Room {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let bytes = std::mem::take(&mut self.bytes);
        self.rooms.0.lock().push(bytes);
    }
}

fn read_range(file: &File, range: &Range<u64>) -> io::Result<Bytes> {
    let mut bytes = vec![0; length_of(range)];
    file.read_exact_at(&mut bytes, range.start)?;
    Ok(bytes.into())
}

/// Text in a file without a name.
struct Spool {
    directory: PathBuf,
    file: Option<Arc<File>>,
    length: u64,
    /// Whether files cannot be had: the disk is full, or cannot be written.
    has_no_file: bool,
}

impl Spool {
    fn new(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            file: None,
            length: 0,
            has_no_file: false,
        }
    }

    /// Writes a text, and adds it to the parts of its stream.
    fn push(&mut self, part: Part, parts: &mut Vec<Part>) -> io::Result<()> {
        let text = match part {
            Part::Memory(bytes) => bytes,
            Part::File(file, range) => read_range(&file, &range)?,
        };
        if text.is_empty() {
            return Ok(());
        }
        if !self.has_no_file {
            match self.append(&text) {
                Ok((file, range)) => {
                    match parts.last_mut() {
                        Some(Part::File(last, before))
                            if Arc::ptr_eq(last, &file) && before.end == range.start =>
                        {
                            before.end = range.end;
                        }
                        _ => parts.push(Part::File(file, range)),
                    }
                    return Ok(());
                }
                Err(error) => {
                    tracing::warn!(%error, "large output is kept in memory");
                    self.has_no_file = true;
                    if let Some(file) = &self.file {
                        // What a failed write left behind is not part of it.
                        file.set_len(self.length)?;
                    }
                }
            }
        }
        parts.push(Part::Memory(text));
        Ok(())
    }

    fn append(&mut self, text: &[u8]) -> io::Result<(Arc<File>, Range<u64>)> {
        let file = match &self.file {
            Some(file) => Arc::clone(file),
            None => Arc::new(tempfile::tempfile_in(&self.directory)?),
        };
        self.file = Some(Arc::clone(&file));
        (&*file).write_all(text)?;
        let start = self.length;
        self.length += text.len() as u64;
        Ok((file, start..self.length))
    }
}

#[cfg(test)]
#[path = "joined_tests.rs"]
mod tests;

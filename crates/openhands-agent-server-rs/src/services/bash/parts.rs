//! Text of an answer as JSON has it between quotes: in memory, or in a file.

use std::fs::File;
use std::io::{self, IoSliceMut};
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt as _};
use openhands_sdk_rs::tools::blocking;
use rustix::io::ReadWriteFlags;
use tokio::sync::OwnedSemaphorePermit;

use super::rooms::{Room, Rooms};

/// What is sent at once, and how many such pieces are ahead of the client.
const PIECE_BYTES: usize = 256 << 10;
const PIECES_AHEAD: usize = 2;

/// What it takes of memory, or of the files that may be open, for as long as it takes it.
pub(super) type Share = Option<Arc<OwnedSemaphorePermit>>;

/// A part of a text.
#[derive(Debug)]
pub(super) enum Part {
    Memory(Bytes, Share),
    File(Arc<OpenFile>, Range<u64>),
}

/// A file that is kept open.
#[derive(Debug)]
pub(super) struct OpenFile {
    pub(super) file: File,
    /// Given back when it is closed.
    pub(super) _share: Share,
}

impl Part {
    /// What belongs to the answer itself, and to no output.
    pub(super) fn frame(text: impl Into<Bytes>) -> Self {
        Self::Memory(text.into(), None)
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Memory(bytes, _) => bytes.len() as u64,
            Self::File(_, range) => range.end - range.start,
        }
    }

    /// Cuts it into what is sent at once.
    fn into_pieces(self) -> impl Iterator<Item = Self> {
        let length = self.len();
        let starts = (0..length).step_by(PIECE_BYTES);
        starts.map(move |start| self.piece(start..length.min(start + PIECE_BYTES as u64)))
    }

    fn piece(&self, range: Range<u64>) -> Self {
        match self {
            Self::Memory(bytes, share) => {
                let [start, end] = [range.start, range.end].map(to_usize);
                Self::Memory(bytes.slice(start..end), share.clone())
            }
            Self::File(file, all) => {
                let range = all.start + range.start..all.start + range.end;
                Self::File(Arc::clone(file), range)
            }
        }
    }

    /// All of it, however long it takes.
    pub(super) fn read(self) -> io::Result<Bytes> {
        match self {
            Self::Memory(bytes, _) => Ok(bytes),
            Self::File(file, range) => {
                let mut bytes = vec![0; length_of(&range)];
                file.file.read_exact_at(&mut bytes, range.start)?;
                Ok(bytes.into())
            }
        }
    }

    /// All of it, in memory that is used again.
    async fn read_to(self, rooms: Rooms) -> io::Result<Bytes> {
        let (file, range) = match self {
            Self::Memory(bytes, _) => return Ok(bytes),
            Self::File(file, range) => (file, range),
        };
        // Memory of the few threads that serve requests: the allocator keeps some for each thread that ever took any, and
        // there are many that read files.
        let mut room = rooms.take();
        room.resize(length_of(&range), 0);
        // What was written a moment ago is in the kernel's memory still. To copy it from there takes less time than to wake another
        // thread for it, and waits for no disk.
        if !read_at_once(&file.file, &range, &mut room) {
            let read = blocking(move || {
                file.file.read_exact_at(&mut room, range.start)?;
                Ok::<Room, io::Error>(room)
            });
            room = read.await.map_err(io::Error::other)??;
        }
        Ok(Bytes::from_owner(room))
    }
}

/// The bytes of all parts, piece by piece.
pub(super) fn bytes_of(
    parts: impl Stream<Item = io::Result<Part>> + Send + 'static,
) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    let rooms = Rooms::default();
    parts
        .flat_map(|part| match part {
            Ok(part) => stream::iter(part.into_pieces().map(Ok)).left_stream(),
            Err(error) => stream::iter([Err(error)]).right_stream(),
        })
        .map(move |piece| {
            let rooms = rooms.clone();
            async move { piece?.read_to(rooms).await }
        })
        .buffered(PIECES_AHEAD)
}

/// Reads all of a range, if that can be done without waiting.
fn read_at_once(file: &File, range: &Range<u64>, room: &mut [u8]) -> bool {
    let length = room.len();
    let mut rooms = [IoSliceMut::new(room)];
    let read = rustix::io::preadv2(file, &mut rooms, range.start, ReadWriteFlags::NOWAIT);
    read == Ok(length)
}

fn length_of(range: &Range<u64>) -> usize {
    to_usize(range.end - range.start)
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

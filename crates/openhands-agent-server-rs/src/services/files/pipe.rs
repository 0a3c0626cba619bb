//! Bytes that a blocking task makes, as a stream of pieces that waits for its reader.

use std::io::{self, Read, Write};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

/// The size of a piece.
const PIECE_BYTES: usize = 64 << 10;

/// Pieces that wait for the reader.
const PIECES: usize = 4;

/// A reader that takes nothing for this long has gone.
const PATIENCE: Duration = Duration::from_mins(1);

/// The writing end, in the blocking task.
pub(crate) struct PipeWriter {
    pieces: mpsc::Sender<io::Result<Bytes>>,
    piece: Vec<u8>,
}

/// A reader of this task that ends with an error when nobody waits for the result any more: what it reads may become little or
/// nothing at the other end for a long time.
pub(crate) struct Attended<R> {
    reader: R,
    pieces: mpsc::Sender<io::Result<Bytes>>,
}

impl<R: Read> Read for Attended<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.pieces.is_closed() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.reader.read(buffer)
    }
}

/// Makes readers attended.
#[derive(Clone)]
pub(crate) struct Attendance(mpsc::Sender<io::Result<Bytes>>);

impl Attendance {
    pub(crate) fn of<R: Read>(&self, reader: R) -> Attended<R> {
        Attended {
            reader,
            pieces: self.0.clone(),
        }
    }
}

impl PipeWriter {
    /// Whether anybody waits for the result.
    pub(crate) fn attendance(&self) -> Attendance {
        Attendance(self.pieces.clone())
    }

    fn send(&mut self, piece: io::Result<Bytes>) -> io::Result<()> {
        hand_over(&self.pieces, piece)
    }
}

/// Hands a piece to the reader, and waits while enough wait for it.
fn hand_over(pieces: &mpsc::Sender<io::Result<Bytes>>, piece: io::Result<Bytes>) -> io::Result<()> {
    let piece = match pieces.try_send(piece) {
        Ok(()) => return Ok(()),
        Err(mpsc::error::TrySendError::Full(piece)) => piece,
        Err(mpsc::error::TrySendError::Closed(_)) => return Err(io::ErrorKind::BrokenPipe.into()),
    };
    match Handle::current().block_on(tokio::time::timeout(PATIENCE, pieces.send(piece))) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) => Err(io::ErrorKind::BrokenPipe.into()),
        Err(_) => Err(io::ErrorKind::TimedOut.into()),
    }
}

/// The pieces that `work` makes, as a stream. A failure of `work` is the stream's last item; a reader that goes away fails the next piece.
pub(crate) fn pieces(
    work: impl FnOnce(&mut dyn FnMut(Bytes) -> io::Result<()>) -> io::Result<()> + Send + 'static,
) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    let (pieces, mut reader) = mpsc::channel(PIECES);
    // The task ends with its work, and its work ends when nobody reads.
    tokio::task::spawn_blocking(move || {
        if let Err(error) = work(&mut |piece| hand_over(&pieces, Ok(piece))) {
            // Nobody to tell if the reader is what failed.
            let _ = hand_over(&pieces, Err(error));
        }
    });
    futures_util::stream::poll_fn(move |context| reader.poll_recv(context))
}

impl Write for PipeWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = PIECE_BYTES - self.piece.len();
        let taken = bytes.get(..room.min(bytes.len())).unwrap_or(bytes);
        self.piece.extend_from_slice(taken);
        if self.piece.len() == PIECE_BYTES {
            self.flush()?;
        }
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let piece = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE_BYTES));
        self.send(Ok(piece.into()))
    }
}

/// What `work` writes, as a stream. A failure of `work` is the stream's last item, so that the reader knows that something is
/// missing; a reader that goes away fails the next write. `place` is given back when the work has ended.
pub(crate) fn piped(
    place: Option<OwnedSemaphorePermit>,
    work: impl FnOnce(&mut PipeWriter) -> io::Result<()> + Send + 'static,
) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    let (pieces, mut reader) = mpsc::channel(PIECES);
    // The task ends with its work, and its work ends when nobody reads.
    tokio::task::spawn_blocking(move || {
        let mut writer = PipeWriter {
            pieces,
            piece: Vec::with_capacity(PIECE_BYTES),
        };
        let done = work(&mut writer).and_then(|()| writer.flush());
        if let Err(error) = done {
            tracing::warn!(%error, "an archive was not finished");
            // Nobody to tell if the reader is what failed.
            let _ = writer.send(Err(error));
        }
        drop(place);
    });
    futures_util::stream::poll_fn(move |context| reader.poll_recv(context))
}

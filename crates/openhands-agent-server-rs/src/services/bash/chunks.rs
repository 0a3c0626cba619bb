//! Output on its way to events: text as it was decoded so far, and when the next piece of it is due.

use std::io;
use std::time::Duration;

use bytes::BufMut as _;
use bytes::buf::Limit;
use tokio::time::Instant;

/// What one event carries at most, both streams together.
pub(super) const MAX_CHUNK_BYTES: usize = 1 << 20;

/// More text than this is likely to become a full piece.
const MUCH: usize = 256 << 10;

/// By how much a piece is read too far: what does not fit is copied to the next, so it is little.
const TOO_FAR: usize = 16 << 10;

/// The least room that is worth a read.
const LEAST_ROOM: usize = 16 << 10;

/// In the long run pieces are at least this far apart, unless one is full.
pub(super) const PACE: Duration = Duration::from_millis(50);

/// So many may come faster: what a person or a program types its way through is told line by line.
pub(super) const BURST: u32 = 20;

/// How long output waits for company, when somebody waits for the end anyway: the output and the end of a short
/// command become one event.
pub(super) const GATHER: Duration = Duration::from_millis(5);

/// How long it waits when the command was only started: whoever follows it wants each line at once.
pub(super) const GATHER_LITTLE: Duration = Duration::from_millis(1);

/// Which of a command's streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Stdout,
    Stderr,
}

/// Text for one event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) stdout: Option<String>,
    pub(super) stderr: Option<String>,
}

/// One stream: what it has sent so far and no event has carried.
#[derive(Default)]
struct Stream {
    /// Text, and after it perhaps the start of a character whose rest has not come.
    bytes: Vec<u8>,
    /// How much of it is text.
    text: usize,
    at_end: bool,
}

impl Stream {
    /// Reads up to `most` bytes to where the text is gathered; nothing means the end.
    fn read(
        &mut self,
        most: usize,
        read: impl FnOnce(&mut Limit<&mut Vec<u8>>) -> io::Result<usize>,
    ) -> io::Result<()> {
        self.make_room(most);
        let room = self.bytes.capacity() - self.bytes.len();
        let count = read(&mut (&mut self.bytes).limit(most.min(room)))?;
        self.settle(count == 0);
        Ok(())
    }

    /// Finds out what of the new bytes is text. A character that is cut between two reads waits for its rest; at the end it is a
    /// replacement character.
    fn settle(&mut self, last: bool) {
        match str::from_utf8(self.bytes.get(self.text..).unwrap_or_default()) {
            Ok(_) => self.text = self.bytes.len(),
            Err(cut) if cut.error_len().is_none() && !last => self.text += cut.valid_up_to(),
            Err(_) => self.replace(last),
        }
        self.at_end |= last;
    }

    /// Puts replacement characters where the new bytes are no text.
    fn replace(&mut self, last: bool) {
        let new = self.bytes.split_off(self.text);
        let mut left = new.len();
        for chunk in new.utf8_chunks() {
            let (text, other) = (chunk.valid(), chunk.invalid());
            left -= text.len() + other.len();
            self.bytes.extend_from_slice(text.as_bytes());
            let may_go_on = || str::from_utf8(other).is_err_and(|cut| cut.error_len().is_none());
            if !last && left == 0 && may_go_on() {
                self.text = self.bytes.len();
                self.bytes.extend_from_slice(other);
                return;
            }
            if !other.is_empty() {
                let mut replacement = [0; 4];
                let replacement = char::REPLACEMENT_CHARACTER.encode_utf8(&mut replacement);
                self.bytes.extend_from_slice(replacement.as_bytes());
            }
        }
        self.text = self.bytes.len();
    }

    /// Makes room for the next bytes. Much output gets all the room that a full piece takes at once, instead of growing to it by copies.
    fn make_room(&mut self, bytes: usize) {
        let length = self.bytes.len();
        if self.bytes.capacity() - length >= LEAST_ROOM.min(bytes) {
            return;
        }
        if (MUCH..=MAX_CHUNK_BYTES + TOO_FAR).contains(&(length + bytes)) {
            self.bytes.reserve_exact(MAX_CHUNK_BYTES + TOO_FAR - length);
        } else {
            self.bytes.reserve(bytes);
        }
    }

    /// The text up to `most` bytes, not cutting a character. What is left is kept in `room`, if there is more text.
    fn take(&mut self, most: usize, room: String) -> Option<String> {
        let end = boundary(&self.bytes, most.min(self.text));
        if end == 0 {
            return None;
        }
        let left = self.bytes.get(end..).unwrap_or_default();
        let mut rest = Vec::new();
        if end < self.text {
            rest = room.into_bytes();
            rest.clear();
            rest.reserve_exact(self.bytes.capacity().max(left.len()));
        }
        rest.extend_from_slice(left);
        self.text -= end;
        self.bytes.truncate(end);
        let taken = std::mem::replace(&mut self.bytes, rest);
        // It is text.
        let lossy = |error: std::string::FromUtf8Error| {
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        };
        Some(String::from_utf8(taken).unwrap_or_else(lossy))
    }
}

/// The last place up to `at` where a character begins or all ends.
fn boundary(text: &[u8], at: usize) -> usize {
    let goes_on = |at: &usize| text.get(*at).is_some_and(|byte| byte & 0xc0 == 0x80);
    (0..=at).rev().find(|at| !goes_on(at)).unwrap_or_default()
}

/// The output of one command between the pipes and the events.
pub(super) struct Chunks {
    stdout: Stream,
    stderr: Stream,
    /// When the oldest text came that no event has carried.
    waiting_since: Option<Instant>,
    /// How long text waits for company.
    gather: Duration,
    /// When all pieces so far would have been sent, each at its pace.
    paced_until: Option<Instant>,
}

impl Chunks {
    pub(super) fn new(gather: Duration) -> Self {
        Self {
            stdout: Stream::default(),
            stderr: Stream::default(),
            waiting_since: None,
            gather,
            paced_until: None,
        }
    }

    fn stream(&mut self, source: Source) -> &mut Stream {
        match source {
            Source::Stdout => &mut self.stdout,
            Source::Stderr => &mut self.stderr,
        }
    }

    /// Takes what `read` puts into the room it is given, at most so many bytes; nothing means the end of the stream.
    pub(super) fn read(
        &mut self,
        source: Source,
        most: usize,
        now: Instant,
        read: impl FnOnce(&mut Limit<&mut Vec<u8>>) -> io::Result<usize>,
    ) -> io::Result<()> {
        let room = (MAX_CHUNK_BYTES + TOO_FAR).saturating_sub(self.len());
        self.stream(source)
            .read(most.min(room.max(TOO_FAR)), read)?;
        if self.len() > 0 {
            self.waiting_since.get_or_insert(now);
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.stdout.text + self.stderr.text
    }

    /// Whether there is so much that more is likely to come.
    pub(super) fn is_much(&self) -> bool {
        self.len() >= MUCH
    }

    /// Whether the stream has ended.
    pub(super) fn is_open(&self, source: Source) -> bool {
        match source {
            Source::Stdout => !self.stdout.at_end,
            Source::Stderr => !self.stderr.at_end,
        }
    }

    /// Whether both streams have ended.
    pub(super) fn at_end(&self) -> bool {
        self.stdout.at_end && self.stderr.at_end
    }

    /// Whether there is more than one event carries.
    pub(super) fn is_full(&self) -> bool {
        self.len() > MAX_CHUNK_BYTES
    }

    /// When the next piece is due, if there is text for one. With both streams at their end the exit code is
    /// about to come, and the text waits a little longer for it.
    pub(super) fn due(&self) -> Option<Instant> {
        let since = self.waiting_since?;
        let gather = if self.at_end() { PACE } else { self.gather };
        let gathered = since + gather;
        // As many as make a burst may be ahead of their pace.
        let paced = self
            .paced_until
            .and_then(|until| until.checked_sub(PACE * BURST));
        Some(paced.map_or(gathered, |paced| paced.max(gathered)))
    }

    /// The text of the next event. What comes after it is gathered in `room`.
    pub(super) fn take(&mut self, now: Instant, room: String) -> Piece {
        let (for_stdout, for_stderr) = if self.stdout.text >= self.stderr.text {
            (room, String::new())
        } else {
            (String::new(), room)
        };
        let stdout = self.stdout.take(MAX_CHUNK_BYTES, for_stdout);
        let most = MAX_CHUNK_BYTES - stdout.as_ref().map_or(0, String::len);
        let stderr = self.stderr.take(most, for_stderr);
        let paced_from = self.paced_until.map_or(now, |until| until.max(now));
        self.paced_until = Some(paced_from + PACE);
        self.waiting_since = (self.len() > 0).then_some(now);
        Piece { stdout, stderr }
    }
}

#[cfg(test)]
#[path = "chunks_tests.rs"]
mod tests;

//! Output on its way to events: text as it was decoded so far, and when the next piece of it is due.

use std::time::Duration;

use encoding_rs::{CoderResult, Decoder, UTF_8};
use tokio::time::Instant;

/// What one event carries at most, both streams together.
pub(super) const MAX_CHUNK_BYTES: usize = 1 << 20;

/// More text than this is likely to become a full piece; and the most by which one is overshot.
const MUCH: usize = 256 << 10;

/// What the decoder may hold back and write with the next bytes.
const WIDEST_CHARACTERS: usize = 16;

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
struct Stream {
    decoder: Decoder,
    text: String,
    at_end: bool,
}

impl Stream {
    fn new() -> Self {
        Self {
            decoder: UTF_8.new_decoder_without_bom_handling(),
            text: String::new(),
            at_end: false,
        }
    }

    /// A character that is cut between two reads waits for its rest; at the end it is a replacement character.
    fn decode(&mut self, mut bytes: &[u8], last: bool) {
        loop {
            self.make_room(bytes.len() + WIDEST_CHARACTERS);
            let (result, read, _) = self.decoder.decode_to_string(bytes, &mut self.text, last);
            bytes = bytes.get(read..).unwrap_or_default();
            // Only what is no text becomes longer, and needs another turn.
            if result == CoderResult::InputEmpty {
                break;
            }
        }
        self.at_end |= last;
    }

    /// Makes room for so many bytes more. Much output gets all the room that a full piece takes at once, instead of
    /// growing to it by copies.
    fn make_room(&mut self, bytes: usize) {
        let needed = self.text.len() + bytes;
        if (MUCH..MAX_CHUNK_BYTES + MUCH).contains(&needed) {
            self.text
                .reserve_exact(MAX_CHUNK_BYTES + MUCH - self.text.len());
        } else {
            self.text.reserve(bytes);
        }
    }

    /// The text up to `most` bytes, not cutting a character. What is left is kept in `room`, if anything is.
    fn take(&mut self, most: usize, mut room: String) -> Option<String> {
        if self.text.is_empty() {
            return None;
        }
        let end = self.text.floor_char_boundary(most);
        let mut rest = String::new();
        if let Some(left) = self.text.get(end..).filter(|left| !left.is_empty()) {
            room.clear();
            room.reserve_exact(self.text.capacity());
            room.push_str(left);
            rest = room;
        }
        self.text.truncate(end);
        let taken = std::mem::replace(&mut self.text, rest);
        (!taken.is_empty()).then_some(taken)
    }
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
            stdout: Stream::new(),
            stderr: Stream::new(),
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

    /// Takes what was read from a stream; nothing means its end.
    pub(super) fn push(&mut self, source: Source, bytes: &[u8], now: Instant) {
        self.stream(source).decode(bytes, bytes.is_empty());
        if self.len() > 0 {
            self.waiting_since.get_or_insert(now);
        }
    }

    fn len(&self) -> usize {
        self.stdout.text.len() + self.stderr.text.len()
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
        let (for_stdout, for_stderr) = if self.stdout.text.len() >= self.stderr.text.len() {
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

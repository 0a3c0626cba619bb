//! An output as JSON, and where its texts are in it: what was escaped once for the event is also what the answer is made of.

use std::ops::Range;

use bytes::Bytes;
use openhands_protocol::Form;
use openhands_protocol::bash::{BashEvent, BashOutput};
use openhands_sdk_rs::tools::json_text::escape;

use super::rooms::Room;

/// What an output without text has in it; the text goes where the nulls are.
pub(super) const NO_TEXT: &str = r#""stdout":null,"stderr":null"#;

/// An event of this size is large: it is worth an open file, and its memory is worth to be used again.
pub(super) const LARGE: usize = 128 << 10;

/// What an event takes besides its texts, and some air.
const FRAME_BYTES: usize = 512;

/// An output event.
#[derive(Debug, Clone)]
pub(super) struct Written {
    /// The whole event.
    pub(super) json: Bytes,
    /// Where the text between the quotes of `stdout` is; nowhere if it is null.
    pub(super) stdout: Range<usize>,
    pub(super) stderr: Range<usize>,
}

impl Written {
    /// Makes room for the JSON of an event.
    pub(super) fn make_room(event: &BashOutput, room: &mut Room) {
        let texts = [&event.stdout, &event.stderr].into_iter().flatten();
        let length: usize = texts.map(String::len).sum();
        room.clear();
        // Text has some line ends; more than these make it grow once.
        room.reserve_exact(FRAME_BYTES + length + length / 16);
    }

    /// Writes an event as [`Form::REST`] does. Its texts are taken from it, and given back as room for others, if they are large;
    /// `room` is used for the JSON.
    pub(super) fn new(
        event: &mut BashOutput,
        room: Room,
    ) -> Result<(Self, Option<String>), serde_json::Error> {
        let [stdout, stderr] = [event.stdout.take(), event.stderr.take()];
        let frame = Form::REST.to_string(&BashEvent::from(event.clone()))?;
        let missing = || serde::ser::Error::custom("an output without a place for text");
        let (head, tail) = frame.split_once(NO_TEXT).ok_or_else(missing)?;
        let mut json = room;
        json.clear();
        json.extend_from_slice(head.as_bytes());
        json.extend_from_slice(br#""stdout":"#);
        let in_stdout = put(stdout.as_deref(), &mut json);
        json.extend_from_slice(br#","stderr":"#);
        let in_stderr = put(stderr.as_deref(), &mut json);
        json.extend_from_slice(tail.as_bytes());
        let written = Self {
            json: bytes(json),
            stdout: in_stdout,
            stderr: in_stderr,
        };
        let rooms = [stdout, stderr].into_iter().flatten();
        Ok((written, rooms.max_by_key(String::capacity)))
    }
}

/// As bytes that many may have. Large memory comes back to be used again, also when little is in it: nobody counts what is around the text.
fn bytes(mut json: Room) -> Bytes {
    if json.len() >= LARGE {
        return Bytes::from_owner(json);
    }
    if json.capacity() >= LARGE {
        return Bytes::copy_from_slice(&json);
    }
    std::mem::take(&mut *json).into()
}

/// Appends a string or null, and says where the text between the quotes is.
fn put(text: Option<&str>, json: &mut Vec<u8>) -> Range<usize> {
    let Some(text) = text else {
        json.extend_from_slice(b"null");
        return 0..0;
    };
    json.push(b'"');
    let start = json.len();
    escape(text, json);
    let end = json.len();
    json.push(b'"');
    start..end
}

#[cfg(test)]
#[path = "written_tests.rs"]
mod tests;

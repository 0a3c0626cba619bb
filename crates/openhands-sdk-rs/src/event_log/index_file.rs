//! The index as a file: a header and records, each with its length and checksum.
//!
//! ```text
//! file    MAGIC record*
//! record  payload length (u32) · checksum of the payload (u32) · payload
//! payload 1 · flags · source · index (u64) · parent · id · kind · time     an event
//!         2 · log length (u64) · fingerprint of the state (u64)            the state was saved
//! ```
//!
//! Numbers are little-endian; texts are a length (u32) and bytes. Reading stops at the first record that is
//! torn, does not follow on the one before, or names another event than the directory does.

use openhands_protocol::EventId;

use crate::event_log::Problem;
use crate::event_log::index::{Entry, Index, Kind, Parent};

const MAGIC: &[u8] = b"openhands event index 1\n";
const EVENT: u8 = 1;
const STATE: u8 = 2;
const READABLE: u8 = 1;
const TIMED: u8 = 2;

/// What the log was when the state was saved. Tells a state of ours, behind the log after a crash, from one
/// that another writer left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StateMark {
    /// How many events the saved state takes into account.
    pub(crate) len: u64,
    /// Of the saved text.
    pub(crate) fingerprint: u64,
}

/// A number that tells two texts apart.
pub(crate) fn fingerprint(text: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ text.len() as u64;
    let mut words = text.chunks_exact(8);
    for word in &mut words {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(word);
        hash =
            (hash.rotate_left(5) ^ u64::from_le_bytes(bytes)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    for byte in words.remainder() {
        hash = (hash.rotate_left(5) ^ u64::from(*byte)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    hash
}

fn checksum(payload: &[u8]) -> u32 {
    let hash = fingerprint(payload);
    // Both halves fit: each is taken below 2^32.
    let [low, high] = [hash & u64::from(u32::MAX), hash >> 32];
    u32::try_from(low ^ high).unwrap_or_default()
}

/// The start of a file.
pub(crate) fn begin(out: &mut Vec<u8>) {
    out.extend_from_slice(MAGIC);
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    // A text beyond 4 GiB is cut, so the entry will not fit the event and the body is read instead.
    let length = u32::try_from(text.len()).unwrap_or(0);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

fn put_record(out: &mut Vec<u8>, fill: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0; 8]);
    fill(out);
    if let Some((head, payload)) = out.get_mut(start..).and_then(|r| r.split_at_mut_checked(8)) {
        let length = u32::try_from(payload.len()).unwrap_or(0).to_le_bytes();
        let sum = checksum(payload).to_le_bytes();
        for (byte, value) in head.iter_mut().zip(length.into_iter().chain(sum)) {
            *byte = value;
        }
    }
}

/// Adds the record of an event.
pub(crate) fn put_entry(out: &mut Vec<u8>, index: u64, entry: &Entry) {
    put_record(out, |out| {
        let mut flags = 0;
        if entry.readable {
            flags |= READABLE;
        }
        if entry.time.is_some() {
            flags |= TIMED;
        }
        out.extend_from_slice(&[EVENT, flags]);
        put_text(out, entry.source.map_or("", |source| source.as_str()));
        out.extend_from_slice(&index.to_le_bytes());
        match &entry.parent {
            Parent::Before => out.push(0),
            Parent::Root => out.push(1),
            Parent::At(parent) => {
                out.push(2);
                out.extend_from_slice(&parent.to_le_bytes());
            }
            Parent::Broken(parent) => {
                out.push(3);
                put_text(out, parent.as_str());
            }
        }
        put_text(out, entry.id.as_str());
        put_text(out, entry.kind.as_str());
        if let Some(time) = &entry.time {
            put_text(out, &time.to_string());
        }
    });
}

/// Adds the record of a saved state.
pub(crate) fn put_mark(out: &mut Vec<u8>, mark: StateMark) {
    put_record(out, |out| {
        out.push(STATE);
        out.extend_from_slice(&mark.len.to_le_bytes());
        out.extend_from_slice(&mark.fingerprint.to_le_bytes());
    });
}

/// What was found in an index file.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) index: Index,
    pub(crate) mark: Option<StateMark>,
    /// What is wrong with the events, as far as the index knows.
    pub(crate) problems: Vec<Problem>,
    /// Whether the file can be added to: it is whole and says nothing wrong.
    pub(crate) whole: bool,
}

/// Reads as much of an index as agrees with the events that are there.
pub(crate) fn read(file: &[u8], ids: &[EventId]) -> Found {
    let mut found = Found::default();
    let Some(mut rest) = file.strip_prefix(MAGIC) else {
        return found;
    };
    found.index.reserve(ids.len());
    while !rest.is_empty() {
        let Some(payload) = take_record(&mut rest) else {
            return found;
        };
        if read_payload(payload, ids, &mut found).is_none() {
            return found;
        }
    }
    found.whole = true;
    found
}

fn take_record<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = take_u32(rest)?;
    let sum = take_u32(rest)?;
    let payload = take(rest, usize::try_from(length).ok()?)?;
    (checksum(payload) == sum).then_some(payload)
}

fn read_payload(mut rest: &[u8], ids: &[EventId], found: &mut Found) -> Option<()> {
    match take_u8(&mut rest)? {
        EVENT => {
            let (index, entry) = take_entry(&mut rest)?;
            if index < found.index.len() {
                // Two writers noted the same event.
                return found.index.get(index)?.eq(&entry).then_some(());
            }
            let listed = ids.get(usize::try_from(index).ok()?)?;
            let follows = index == found.index.len() && *listed == entry.id;
            let parent_is_earlier = !matches!(entry.parent, Parent::At(parent) if parent >= index);
            if !follows || !parent_is_earlier || !rest.is_empty() {
                return None;
            }
            let problem = found.index.push(entry);
            found.problems.extend(problem);
        }
        STATE => {
            found.mark = Some(StateMark {
                len: take_u64(&mut rest)?,
                fingerprint: take_u64(&mut rest)?,
            });
        }
        _ => return None,
    }
    Some(())
}

fn take_entry(rest: &mut &[u8]) -> Option<(u64, Entry)> {
    let flags = take_u8(rest)?;
    let source = match take_text(rest)? {
        "" => None,
        word => Some(word.parse().ok()?),
    };
    let index = take_u64(rest)?;
    let parent = match take_u8(rest)? {
        0 => Parent::Before,
        1 => Parent::Root,
        2 => Parent::At(take_u64(rest)?),
        3 => Parent::Broken(take_text(rest)?.into()),
        _ => return None,
    };
    let id = take_text(rest)?.into();
    let kind = Kind::new(take_text(rest)?);
    let time = if flags & TIMED == 0 {
        None
    } else {
        Some(take_text(rest)?.parse().ok()?)
    };
    let entry = Entry {
        id,
        parent,
        kind,
        source,
        time,
        readable: flags & READABLE != 0,
    };
    Some((index, entry))
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken)
}

fn take_u8(rest: &mut &[u8]) -> Option<u8> {
    take(rest, 1)?.first().copied()
}

fn take_u32(rest: &mut &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(take(rest, 4)?.try_into().ok()?))
}

fn take_u64(rest: &mut &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(take(rest, 8)?.try_into().ok()?))
}

fn take_text<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    let length = take_u32(rest)?;
    std::str::from_utf8(take(rest, usize::try_from(length).ok()?)?).ok()
}

#[cfg(test)]
#[path = "index_file_tests.rs"]
mod tests;

//! Marks in the terminal's stream that say where a command's own output ends, and the filter that takes them out.
//!
//! A mark is an escape sequence with a token that only this shell and its driver know, so nothing a
//! program prints can be taken for one.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
/// Longest mark; what looks like the start of one is held back up to this length.
const MAX_MARK_BYTES: usize = 80;

/// A secret of one shell.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(..)")
    }
}

impl Token {
    pub(crate) fn random() -> Self {
        // Each RandomState has keys from the system's random source.
        let half = || RandomState::new().build_hasher().finish();
        Self(format!("{:016x}{:016x}", half(), half()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The mark after the output of the command with this number: what follows comes from the shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark(pub(crate) u64);

impl Mark {
    /// The mark as a format string of printf(1).
    pub(crate) fn printf(self, token: &Token) -> String {
        format!("\\033]{};{}\\a", token.as_str(), self.0)
    }
}

/// A piece of the filtered stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    Output(&'a [u8]),
    Mark(Mark),
}

/// Splits a stream into output and marks, across reads.
#[derive(Debug)]
pub(crate) struct MarkFilter {
    introducer: Vec<u8>,
    held: Vec<u8>,
}

impl MarkFilter {
    pub(crate) fn new(token: &Token) -> Self {
        Self {
            introducer: format!("\x1b]{};", token.as_str()).into_bytes(),
            held: Vec::new(),
        }
    }

    /// A filter to hold a place: it is never fed.
    pub(crate) fn nothing() -> Self {
        Self {
            introducer: Vec::new(),
            held: Vec::new(),
        }
    }

    /// Passes the next bytes of the stream on, piece by piece.
    pub(crate) fn feed(&mut self, bytes: &[u8], mut each: impl FnMut(Piece<'_>)) {
        if self.held.is_empty() {
            self.held = self.split(bytes, &mut each);
        } else {
            let mut all = std::mem::take(&mut self.held);
            all.extend_from_slice(bytes);
            self.held = self.split(&all, &mut each);
        }
    }

    /// What is held back because it may be the start of a mark: plain output, if the stream ends here.
    pub(crate) fn flush(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }

    /// Returns the end of `bytes` that may be the start of a mark.
    fn split(&self, bytes: &[u8], each: &mut impl FnMut(Piece<'_>)) -> Vec<u8> {
        let mut start = 0;
        let mut from = 0;
        loop {
            let rest = bytes.get(from..).unwrap_or_default();
            let Some(at) = memchr::memchr(ESC, rest).map(|at| from + at) else {
                emit(bytes.get(start..), each);
                return Vec::new();
            };
            match self.mark_at(bytes.get(at..).unwrap_or_default()) {
                Found::Nothing => from = at + 1,
                Found::Mark(mark, length) => {
                    emit(bytes.get(start..at), each);
                    each(Piece::Mark(mark));
                    start = at + length;
                    from = start;
                }
                Found::Unfinished => {
                    emit(bytes.get(start..at), each);
                    return bytes.get(at..).unwrap_or_default().to_vec();
                }
            }
        }
    }

    fn mark_at(&self, bytes: &[u8]) -> Found {
        let common = bytes.len().min(self.introducer.len());
        if bytes.get(..common) != self.introducer.get(..common) {
            return Found::Nothing;
        }
        let body = bytes.get(self.introducer.len()..).unwrap_or_default();
        let Some(end) = memchr::memchr(BEL, body) else {
            return if bytes.len() < MAX_MARK_BYTES {
                Found::Unfinished
            } else {
                Found::Nothing
            };
        };
        match parse(body.get(..end).unwrap_or_default()) {
            Some(mark) => Found::Mark(mark, self.introducer.len() + end + 1),
            None => Found::Nothing,
        }
    }
}

enum Found {
    Nothing,
    Unfinished,
    Mark(Mark, usize),
}

fn emit(bytes: Option<&[u8]>, each: &mut impl FnMut(Piece<'_>)) {
    if let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) {
        each(Piece::Output(bytes));
    }
}

fn parse(body: &[u8]) -> Option<Mark> {
    std::str::from_utf8(body).ok()?.parse().ok().map(Mark)
}

#[cfg(test)]
#[path = "marks_tests.rs"]
mod tests;

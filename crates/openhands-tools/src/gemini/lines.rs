//! Numbered lines of a file, read in one pass without holding the file in memory.

use std::io::{self, Read};

use crate::file_editor::{Document, MAX_FILE_BYTES};

/// Bytes of text that one answer may hold; only lines of absurd length come near.
const MAX_SHOWN_BYTES: usize = 16 << 20;
const CHUNK_BYTES: usize = 64 << 10;

/// The lines asked for, and how many there are.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Lines {
    /// Each line as number, two spaces and text.
    pub(super) numbered: String,
    /// Lines in the file.
    pub(super) total: usize,
    /// The number of the last line shown.
    pub(super) last: usize,
}

/// Reads `source` to its end and keeps `limit` lines after the first `offset`. Bytes that are not UTF-8 become U+FFFD.
pub(super) fn read_lines(mut source: impl Read, offset: usize, limit: usize) -> io::Result<Lines> {
    let mut collector = Collector {
        wanted: offset..offset.saturating_add(limit),
        lines: Lines::default(),
        current: Vec::new(),
        is_open: false,
        after_return: false,
    };
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut length = fill(&mut source, &mut chunk)?;
    let first = chunk.get(..length).unwrap_or_default();
    if first.starts_with(&[0xFF, 0xFE]) || first.starts_with(&[0xFE, 0xFF]) {
        let mut bytes = first.to_vec();
        source.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
        collector.take(Document::read(bytes, None).text().as_bytes())?;
        return Ok(collector.finish());
    }
    collector.take(first.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(first))?;
    while length > 0 {
        length = fill(&mut source, &mut chunk)?;
        collector.take(chunk.get(..length).unwrap_or_default())?;
    }
    Ok(collector.finish())
}

/// Fills the buffer as far as the source has bytes.
fn fill(source: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match source.read(rest) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

struct Collector {
    wanted: std::ops::Range<usize>,
    lines: Lines,
    /// The bytes so far of the line being read, if it is wanted.
    current: Vec<u8>,
    /// Whether that line has any bytes.
    is_open: bool,
    /// Whether the last byte was `\r`, of which a following `\n` is a part.
    after_return: bool,
}

impl Collector {
    fn take(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        if self.after_return && !bytes.is_empty() {
            self.after_return = false;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(at) = memchr::memchr2(b'\r', b'\n', bytes) {
            let (line, rest) = bytes.split_at(at);
            self.extend(line)?;
            self.end_line("\n");
            bytes = match rest {
                [b'\r', b'\n', rest @ ..] | [_, rest @ ..] => rest,
                [] => rest,
            };
            self.after_return = rest == b"\r";
        }
        self.extend(bytes)
    }

    fn extend(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.is_open |= !bytes.is_empty();
        if self.wanted.contains(&self.lines.total) {
            self.current.extend_from_slice(bytes);
            if self.lines.numbered.len() + self.current.len() > MAX_SHOWN_BYTES {
                return Err(io::Error::other(
                    "the lines are too long to be shown, use a smaller limit",
                ));
            }
        }
        Ok(())
    }

    fn end_line(&mut self, ending: &str) {
        if self.wanted.contains(&self.lines.total) {
            let number = self.lines.total + 1;
            let text = String::from_utf8_lossy(&self.current);
            let numbered = format!("{number:6}  {text}{ending}");
            self.lines.numbered.push_str(&numbered);
            self.lines.last = number;
            self.current.clear();
        }
        self.lines.total += 1;
        self.is_open = false;
    }

    fn finish(mut self) -> Lines {
        if self.is_open {
            self.end_line("");
        }
        self.lines
    }
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;

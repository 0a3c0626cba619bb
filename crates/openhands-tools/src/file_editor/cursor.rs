//! A place in a document, known both in its text and in its bytes. It moves forward only, so that any number of
//! places is found in one pass.

use super::charset::Charset;
use super::units::{Ending, RawLine, raw_column, raw_line};

#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    bytes: &'a [u8],
    charset: Charset,
    text_at: usize,
    byte_at: usize,
    /// The line that the place is in.
    line: RawLine,
    /// How the line before it ended.
    previous: Option<Ending>,
}

impl<'a> Cursor<'a> {
    /// At the start of the text, behind the byte order mark.
    pub(super) fn new(text: &'a str, bytes: &'a [u8], charset: Charset) -> Self {
        let start = charset.mark.len();
        Self {
            text,
            bytes,
            charset,
            text_at: 0,
            byte_at: start,
            line: raw_line(bytes, charset, start),
            previous: None,
        }
    }

    /// Moves on to `offset` of the text, and gives its place in the bytes; `None` if no character begins there.
    pub(super) fn seek(&mut self, offset: usize) -> Option<usize> {
        // The text has a line break exactly where the bytes have one, in whatever form.
        while let Some(found) =
            memchr::memchr(b'\n', self.text.as_bytes().get(self.text_at..offset)?)
        {
            self.previous = Some(self.line.ending?);
            self.text_at += found + 1;
            self.byte_at = self.line.next;
            self.line = raw_line(self.bytes, self.charset, self.byte_at);
        }
        let rest = self.bytes.get(self.byte_at..self.line.content_end)?;
        let length = raw_column(rest, self.charset, offset - self.text_at)?;
        // The walk over single characters must agree with decoding in one go: refuse rather than cut a character.
        let passed = self.text.get(self.text_at..offset)?;
        if self.charset.decode(rest.get(..length)?) != passed {
            return None;
        }
        self.text_at = offset;
        self.byte_at += length;
        Some(self.byte_at)
    }

    /// The form that a line break gets when it is added here: that of the line, or of the line before the last
    /// one, which has none.
    pub(super) fn ending(&self) -> Ending {
        self.line.ending.or(self.previous).unwrap_or(Ending::Lf)
    }
}

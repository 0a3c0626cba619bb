//! A text file in memory: its exact bytes and, beside them, its text with every line break as `\n`.
//!
//! Edits are named by places in the text and carried out on the bytes, so that a byte outside the edit never
//! changes: not its line endings, not its character set, not even what cannot be decoded.

use std::ops::Range;

use super::charset::Charset;
use super::cursor::Cursor;
use super::units::Ending;

/// Why an edit cannot be stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpliceError {
    /// The file's character set is a guess and does not have this character: converting the whole file could
    /// store wrong letters everywhere else.
    #[error(
        "the file is not UTF-8 and its encoding is uncertain (it was read as {charset}), so the character `{character}` cannot be added without risking its other text; convert the file to UTF-8 first"
    )]
    Unencodable {
        character: char,
        charset: &'static str,
    },
    /// The new text repeats U+FFFD where the file holds bytes that are no text.
    #[error(
        "the replaced text holds bytes that are not valid {charset} (shown as U+FFFD), which the new text would overwrite; leave them out of the edit"
    )]
    Undecodable { charset: &'static str },
    /// The place of the edit has no byte position of its own.
    #[error("the edit begins or ends inside a character of its {charset} text")]
    InsideCharacter { charset: &'static str },
}

/// A text file as read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    charset: Charset,
    body: Body,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Body {
    /// UTF-8 with plain `\n` breaks: the bytes are the text.
    Plain(String),
    Decoded {
        bytes: Vec<u8>,
        text: String,
    },
}

impl Document {
    /// Reads the bytes of a file. `known` is its character set, if it was read before.
    pub fn read(bytes: Vec<u8>, known: Option<Charset>) -> Self {
        // Nearly every file is this one case, which needs the bytes to be looked at once only.
        let is_simple = !Charset::has_mark(&bytes) && memchr::memchr2(b'\r', 0, &bytes).is_none();
        let bytes = if is_simple {
            match String::from_utf8(bytes) {
                Ok(text) => return Self::plain(text),
                Err(error) => error.into_bytes(),
            }
        } else {
            bytes
        };
        let charset = Charset::detect(&bytes, known);
        Self::with_charset(bytes, charset)
    }

    /// UTF-8 text with plain `\n` breaks.
    fn plain(text: String) -> Self {
        Self {
            charset: Charset::UTF_8,
            body: Body::Plain(text),
        }
    }

    fn with_charset(bytes: Vec<u8>, charset: Charset) -> Self {
        let unmarked = bytes.strip_prefix(charset.mark).unwrap_or(&bytes);
        let text = with_plain_breaks(&charset.decode(unmarked));
        let is_plain = charset == Charset::UTF_8 && text.as_bytes() == bytes;
        let body = if is_plain {
            Body::Plain(text)
        } else {
            Body::Decoded { bytes, text }
        };
        Self { charset, body }
    }

    /// The text, with every line break as `\n` and without a byte order mark.
    pub fn text(&self) -> &str {
        match &self.body {
            Body::Plain(text) | Body::Decoded { text, .. } => text,
        }
    }

    /// The bytes as they are in the file.
    pub fn bytes(&self) -> &[u8] {
        match &self.body {
            Body::Plain(text) => text.as_bytes(),
            Body::Decoded { bytes, .. } => bytes,
        }
    }

    /// The text alone, for a caller that is done with the bytes.
    pub fn into_text(self) -> String {
        match self.body {
            Body::Plain(text) | Body::Decoded { text, .. } => text,
        }
    }

    pub fn charset(&self) -> Charset {
        self.charset
    }

    /// Whether the file has line breaks other than `\n`.
    pub(crate) fn has_carriage_returns(&self) -> bool {
        match &self.body {
            Body::Plain(_) => false,
            Body::Decoded { bytes, .. } => memchr::memchr(b'\r', bytes).is_some(),
        }
    }

    /// The document with the text at `ranges` (ascending, not overlapping, at character boundaries) replaced by `with`.
    /// New line breaks take the form of the line they are put into.
    pub fn replace(&self, ranges: &[Range<usize>], with: &str) -> Result<Self, SpliceError> {
        if let (Body::Plain(text), false) = (&self.body, with.contains('\r')) {
            return Ok(Self::plain(splice_text(text, ranges, with)));
        }
        match self.replace_bytes(ranges, with, self.charset) {
            Err(SpliceError::Unencodable { character, charset }) => self
                .replace_widened(ranges, with)
                .map_err(|_| SpliceError::Unencodable { character, charset }),
            result => result,
        }
    }

    /// The second try for a character that the file's set lacks: in the set that the statistics preferred, or,
    /// when the set is no guess, with the whole file turned into UTF-8.
    fn replace_widened(&self, ranges: &[Range<usize>], with: &str) -> Result<Self, SpliceError> {
        if let Some(guess) = self.charset.runner_up {
            return self.replace_bytes(ranges, with, Charset::legacy(guess));
        }
        if !self.charset.fits(self.unmarked()) {
            return Err(SpliceError::Undecodable {
                charset: self.charset.name(),
            });
        }
        let widened = self.charset.decode(self.unmarked()).into_owned();
        Self::with_charset(widened.into_bytes(), Charset::UTF_8).replace(ranges, with)
    }

    fn unmarked(&self) -> &[u8] {
        let bytes = self.bytes();
        bytes.strip_prefix(self.charset.mark).unwrap_or(bytes)
    }

    /// Carries the edit out on the bytes; `charset` is the one that the new text is written in.
    fn replace_bytes(
        &self,
        ranges: &[Range<usize>],
        with: &str,
        charset: Charset,
    ) -> Result<Self, SpliceError> {
        let mut places = Vec::with_capacity(ranges.len());
        let mut contents = Vec::with_capacity(ranges.len());
        let mut cursor = Cursor::new(self.text(), self.bytes(), self.charset);
        let inside = || SpliceError::InsideCharacter {
            charset: self.charset.name(),
        };
        for range in ranges {
            let old = self.text().get(range.clone()).unwrap_or_default();
            cursor.seek(range.start).ok_or_else(inside)?;
            let ending = cursor.ending();
            let with = with_ending(with, ending);
            // What the old and the new text share keeps its bytes: its own line endings, its undecodable parts.
            let (shared_start, shared_end) = shared_ends(old, &with);
            let changed = range.start + shared_start..range.end - shared_end;
            let new = with
                .get(shared_start..with.len() - shared_end)
                .unwrap_or_default();
            let overwritten = old
                .get(shared_start..old.len() - shared_end)
                .unwrap_or_default();
            if overwritten.contains(char::REPLACEMENT_CHARACTER)
                && new.contains(char::REPLACEMENT_CHARACTER)
                && !self.charset.fits(self.unmarked())
            {
                return Err(SpliceError::Undecodable {
                    charset: charset.name(),
                });
            }
            let new = new.replace('\n', ending.as_str());
            let encoded = charset
                .encode(&new)
                .map_err(|character| SpliceError::Unencodable {
                    character,
                    charset: charset.name(),
                })?
                .into_owned();
            let start = cursor.seek(changed.start).ok_or_else(inside)?;
            places.push(start..cursor.seek(changed.end).ok_or_else(inside)?);
            contents.push(encoded);
        }
        let edited = splice_all(self.bytes(), &places, |index| {
            contents.get(index).map_or(&[][..], Vec::as_slice)
        });
        Ok(Self::with_charset(edited, charset))
    }
}

/// `text` with `\r\n` and lone `\r` turned into `\n`, as a text-mode reader shows it.
pub(crate) fn with_plain_breaks(text: &str) -> String {
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return text.to_owned();
    }
    let mut plain = String::with_capacity(text.len());
    let mut from = 0;
    for at in memchr::memchr_iter(b'\r', text.as_bytes()) {
        plain.push_str(text.get(from..at).unwrap_or_default());
        from = at + 1;
        if text.as_bytes().get(from) != Some(&b'\n') {
            plain.push('\n');
        }
    }
    plain.push_str(text.get(from..).unwrap_or_default());
    plain
}

/// The new text as the file's kind of line takes it. In a file of plain `\n` lines it is written as given;
/// elsewhere `\r\n` is only another way to write the line's own break.
fn with_ending(with: &str, ending: Ending) -> String {
    match ending {
        Ending::Lf => with.to_owned(),
        Ending::CrLf | Ending::Cr => with.replace("\r\n", "\n"),
    }
}

/// How many bytes `old` and `new` share at their start and, apart from that, at their end.
fn shared_ends(old: &str, new: &str) -> (usize, usize) {
    let same = |(a, b): &(char, char)| a == b;
    let length = |(a, _): (char, char)| a.len_utf8();
    let start: usize = old
        .chars()
        .zip(new.chars())
        .take_while(same)
        .map(length)
        .sum();
    let old_rest = old.get(start..).unwrap_or_default();
    let new_rest = new.get(start..).unwrap_or_default();
    let end = old_rest
        .chars()
        .rev()
        .zip(new_rest.chars().rev())
        .take_while(same)
        .map(length)
        .sum();
    (start, end)
}

/// `text` with each of `ranges` replaced by `with`.
fn splice_text(text: &str, ranges: &[Range<usize>], with: &str) -> String {
    let mut edited = String::with_capacity(text.len() + with.len() * ranges.len());
    let mut from = 0;
    for range in ranges {
        edited.push_str(text.get(from..range.start).unwrap_or_default());
        edited.push_str(with);
        from = range.end;
    }
    edited.push_str(text.get(from..).unwrap_or_default());
    edited
}

/// `bytes` with each of `ranges` replaced by the content for its index.
fn splice_all<'a>(
    bytes: &[u8],
    ranges: &[Range<usize>],
    content: impl Fn(usize) -> &'a [u8],
) -> Vec<u8> {
    let added: usize = (0..ranges.len()).map(|index| content(index).len()).sum();
    let mut edited = Vec::with_capacity(bytes.len() + added);
    let mut from = 0;
    for (index, range) in ranges.iter().enumerate() {
        edited.extend_from_slice(bytes.get(from..range.start).unwrap_or_default());
        edited.extend_from_slice(content(index));
        from = range.end;
    }
    edited.extend_from_slice(bytes.get(from..).unwrap_or_default());
    edited
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;

//! From a place in the text to the place of its bytes: finding line starts and single characters in raw bytes.

use encoding_rs::Encoding;

use super::charset::{Charset, Coding};

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Lf,
    CrLf,
    Cr,
}

impl Ending {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::Cr => "\r",
        }
    }
}

/// One line of the raw bytes: where its content ends, how it ends and where the next one starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RawLine {
    pub(super) content_end: usize,
    pub(super) ending: Option<Ending>,
    pub(super) next: usize,
}

/// The line of `bytes` that begins at `start`. The last one has no ending and may be empty.
pub(super) fn raw_line(bytes: &[u8], charset: Charset, start: usize) -> RawLine {
    let width = match charset.coding {
        Coding::Utf8 | Coding::Legacy(_) => 1,
        Coding::Utf16Le | Coding::Utf16Be => 2,
    };
    let last = RawLine {
        content_end: bytes.len(),
        ending: None,
        next: bytes.len(),
    };
    let Some(content_end) = next_break(bytes, charset, start) else {
        return last;
    };
    let unit = |at: usize| ascii_unit(bytes, charset, at);
    let (ending, units) = match (unit(content_end), unit(content_end + width)) {
        (Some(b'\r'), Some(b'\n')) => (Ending::CrLf, 2),
        (Some(b'\r'), _) => (Ending::Cr, 1),
        _ => (Ending::Lf, 1),
    };
    RawLine {
        content_end,
        ending: Some(ending),
        next: content_end + units * width,
    }
}

/// Where the next `\r` or `\n` begins.
fn next_break(bytes: &[u8], charset: Charset, start: usize) -> Option<usize> {
    let rest = bytes.get(start..)?;
    match charset.coding {
        Coding::Utf8 | Coding::Legacy(_) => {
            memchr::memchr2(b'\r', b'\n', rest).map(|found| start + found)
        }
        Coding::Utf16Le | Coding::Utf16Be => memchr::memchr2_iter(b'\r', b'\n', rest)
            .map(|found| start + (found & !1))
            .find(|at| matches!(ascii_unit(bytes, charset, *at), Some(b'\r' | b'\n'))),
    }
}

/// The code unit at `at`, if it is an ASCII character.
fn ascii_unit(bytes: &[u8], charset: Charset, at: usize) -> Option<u8> {
    let (high, low) = match charset.coding {
        Coding::Utf8 | Coding::Legacy(_) => (0, *bytes.get(at)?),
        Coding::Utf16Le => (*bytes.get(at + 1)?, *bytes.get(at)?),
        Coding::Utf16Be => (*bytes.get(at)?, *bytes.get(at + 1)?),
    };
    (high == 0 && low.is_ascii()).then_some(low)
}

/// How many bytes of `line` make up its first `column` bytes of text; `None` when no character ends there.
pub(super) fn raw_column(line: &[u8], charset: Charset, column: usize) -> Option<usize> {
    if column == 0 {
        return Some(0);
    }
    if charset.coding == Coding::Utf8
        && line
            .get(..column)
            .is_some_and(|passed| std::str::from_utf8(passed).is_ok())
    {
        return Some(column);
    }
    let (mut raw, mut text) = (0, 0);
    while text < column {
        let rest = line.get(raw..).filter(|rest| !rest.is_empty())?;
        let (raw_length, text_length) = first_unit(rest, charset);
        raw += raw_length;
        text += text_length;
    }
    (text == column).then_some(raw)
}

/// The lengths of the first character of `rest`, in its own bytes and in UTF-8.
fn first_unit(rest: &[u8], charset: Charset) -> (usize, usize) {
    let length = match charset.coding {
        Coding::Utf8 => utf8_unit(rest),
        Coding::Utf16Le => utf16_unit(rest, u16::from_le_bytes),
        Coding::Utf16Be => utf16_unit(rest, u16::from_be_bytes),
        Coding::Legacy(encoding) => legacy_unit(rest, encoding),
    }
    .clamp(1, rest.len());
    let unit = rest.get(..length).unwrap_or(rest);
    (length, charset.decode(unit).len())
}

fn utf8_unit(rest: &[u8]) -> usize {
    rest.utf8_chunks().next().map_or(1, |chunk| {
        chunk
            .valid()
            .chars()
            .next()
            .map_or(chunk.invalid().len(), char::len_utf8)
    })
}

fn utf16_unit(rest: &[u8], join: fn([u8; 2]) -> u16) -> usize {
    let mut units = rest.as_chunks::<2>().0.iter().map(|pair| join(*pair));
    let pair = matches!(
        (units.next(), units.next()),
        (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF))
    );
    if pair { 4 } else { 2 }
}

/// The multi-byte sets differ in which bytes lead; all others have one byte to a character.
fn legacy_unit(rest: &[u8], encoding: &'static Encoding) -> usize {
    let lead = rest.first().copied().unwrap_or_default();
    let second = rest.get(1).copied().unwrap_or_default();
    let two = |leads: bool| if leads { 2 } else { 1 };
    if encoding == encoding_rs::SHIFT_JIS {
        two(matches!(lead, 0x81..=0x9F | 0xE0..=0xFC))
    } else if encoding == encoding_rs::EUC_JP {
        match lead {
            0x8F => 3,
            lead => two(matches!(lead, 0x8E | 0xA1..=0xFE)),
        }
    } else if encoding == encoding_rs::GBK || encoding == encoding_rs::GB18030 {
        match (lead, second) {
            (0x81..=0xFE, b'0'..=b'9') => 4,
            (lead, _) => two(matches!(lead, 0x81..=0xFE)),
        }
    } else if encoding == encoding_rs::BIG5 || encoding == encoding_rs::EUC_KR {
        two(matches!(lead, 0x81..=0xFE))
    } else {
        1
    }
}

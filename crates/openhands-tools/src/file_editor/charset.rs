//! Which letters the bytes of a file stand for: finding the character set, decoding and encoding.
//!
//! Order: byte order mark, UTF-8, UTF-16 by its zero bytes, what this file was last known to be, what the file
//! declares of itself, UTF-8 with a few broken bytes, and last a statistical guess. A guess that rests on a
//! handful of bytes is not trusted: Western text is by far the likeliest, so windows-1252 is taken and the
//! guess is kept as the runner-up.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, WINDOWS_1252};

/// Bytes looked at by the statistical detector.
const SAMPLE_BYTES: usize = 1 << 20;
/// Non-ASCII bytes needed before a guess within the Latin script beats windows-1252.
const LATIN_EVIDENCE: usize = 24;
/// The same for another script or a multi-byte set, whose words are all non-ASCII.
const SCRIPT_EVIDENCE: usize = 8;

const UTF8_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];
const UTF16_LE_MARK: &[u8] = &[0xFF, 0xFE];
const UTF16_BE_MARK: &[u8] = &[0xFE, 0xFF];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Utf8,
    Utf16Le,
    Utf16Be,
    /// Any set of `encoding_rs` in which the bytes of `\r` and `\n` are nothing but line breaks.
    Legacy(&'static Encoding),
}

/// The character set of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charset {
    pub(super) coding: Coding,
    /// The byte order mark at the start of the file, which is no part of its text.
    pub(super) mark: &'static [u8],
    /// Set when the choice rests on little: what the statistics preferred.
    pub(super) runner_up: Option<&'static Encoding>,
}

impl Charset {
    /// UTF-8 without a mark, the character set of every new file.
    pub const UTF_8: Self = Self::of(Coding::Utf8);

    const fn of(coding: Coding) -> Self {
        Self {
            coding,
            mark: &[],
            runner_up: None,
        }
    }

    pub(super) const fn legacy(encoding: &'static Encoding) -> Self {
        Self::of(Coding::Legacy(encoding))
    }

    /// Finds the character set of `bytes`. `known` is what the same file was found to be before; it is used
    /// when it still fits, so that a file does not change its letters because an edit removed the evidence.
    pub fn detect(bytes: &[u8], known: Option<Self>) -> Self {
        if let Some(marked) = Self::by_mark(bytes) {
            return marked;
        }
        if memchr::memchr(0, bytes).is_some()
            && let Some(coding) = utf16_by_zero_bytes(bytes)
        {
            return Self::of(coding);
        }
        if std::str::from_utf8(bytes).is_ok() {
            return Self::UTF_8;
        }
        known
            .filter(|known| matches!(known.coding, Coding::Legacy(_)) && known.fits(bytes))
            .or_else(|| declared(bytes).map(Self::legacy))
            .or_else(|| is_mostly_utf8(bytes).then_some(Self::UTF_8))
            .unwrap_or_else(|| Self::by_statistics(bytes))
    }

    /// Whether the bytes begin with a byte order mark.
    pub(super) fn has_mark(bytes: &[u8]) -> bool {
        Self::by_mark(bytes).is_some()
    }

    fn by_mark(bytes: &[u8]) -> Option<Self> {
        [
            (UTF8_MARK, Coding::Utf8),
            (UTF16_LE_MARK, Coding::Utf16Le),
            (UTF16_BE_MARK, Coding::Utf16Be),
        ]
        .into_iter()
        .find(|(mark, _)| bytes.starts_with(mark))
        .map(|(mark, coding)| Self {
            mark,
            ..Self::of(coding)
        })
    }

    fn by_statistics(bytes: &[u8]) -> Self {
        let sample = bytes.get(..SAMPLE_BYTES).unwrap_or(bytes);
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        detector.feed(sample, sample.len() == bytes.len());
        let guess = detector.guess(None, Utf8Detection::Deny);
        if guess == WINDOWS_1252 {
            return Self::legacy(WINDOWS_1252);
        }
        let evidence = bytes.iter().filter(|byte| !byte.is_ascii()).count();
        let needed = if is_latin(guess) {
            LATIN_EVIDENCE
        } else {
            SCRIPT_EVIDENCE
        };
        if evidence >= needed && Self::legacy(guess).fits(bytes) {
            return Self::legacy(guess);
        }
        Self {
            runner_up: Some(guess),
            ..Self::legacy(WINDOWS_1252)
        }
    }

    /// Whether every byte of `bytes`, which hold no mark, has a meaning in this set.
    pub(super) fn fits(self, bytes: &[u8]) -> bool {
        let strictly = |encoding: &'static Encoding| {
            encoding
                .decode_without_bom_handling_and_without_replacement(bytes)
                .is_some()
        };
        match self.coding {
            Coding::Utf8 => std::str::from_utf8(bytes).is_ok(),
            Coding::Utf16Le => strictly(encoding_rs::UTF_16LE),
            Coding::Utf16Be => strictly(encoding_rs::UTF_16BE),
            Coding::Legacy(encoding) => strictly(encoding),
        }
    }

    /// The set's name, for messages.
    pub fn name(self) -> &'static str {
        match self.coding {
            Coding::Utf8 => "UTF-8",
            Coding::Utf16Le => "UTF-16LE",
            Coding::Utf16Be => "UTF-16BE",
            Coding::Legacy(encoding) => encoding.name(),
        }
    }

    /// The text of `bytes`, which hold no mark. What has no meaning becomes U+FFFD.
    pub(super) fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self.coding {
            Coding::Utf8 => String::from_utf8_lossy(bytes),
            Coding::Utf16Le => encoding_rs::UTF_16LE.decode_without_bom_handling(bytes).0,
            Coding::Utf16Be => encoding_rs::UTF_16BE.decode_without_bom_handling(bytes).0,
            Coding::Legacy(encoding) => encoding.decode_without_bom_handling(bytes).0,
        }
    }

    /// The bytes of `text`, or the first character that this set cannot hold. A character that would come
    /// back as another one (Shift_JIS writes a yen sign as a backslash) counts as one that cannot be held.
    pub(super) fn encode(self, text: &str) -> Result<Cow<'_, [u8]>, char> {
        match self.coding {
            Coding::Utf8 => Ok(Cow::Borrowed(text.as_bytes())),
            Coding::Utf16Le => Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            Coding::Utf16Be => Ok(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
            Coding::Legacy(encoding) => {
                let (bytes, _, failed) = encoding.encode(text);
                if !failed && self.decode(&bytes) == text {
                    return Ok(bytes);
                }
                Err(text
                    .chars()
                    .find(|c| !self.holds(*c))
                    .unwrap_or(char::REPLACEMENT_CHARACTER))
            }
        }
    }

    fn holds(self, c: char) -> bool {
        let Coding::Legacy(encoding) = self.coding else {
            return true;
        };
        let mut buffer = [0; 4];
        let one: &str = c.encode_utf8(&mut buffer);
        let (bytes, _, failed) = encoding.encode(one);
        !failed && self.decode(&bytes) == one
    }
}

/// UTF-16 without a mark shows by its zero bytes: ASCII letters have one in every pair, always on the same side.
fn utf16_by_zero_bytes(bytes: &[u8]) -> Option<Coding> {
    if bytes.len() < 4 || !bytes.len().is_multiple_of(2) {
        return None;
    }
    let (mut even, mut odd) = (0_usize, 0_usize);
    for pair in bytes.chunks_exact(2) {
        even += usize::from(pair.first() == Some(&0));
        odd += usize::from(pair.last() == Some(&0));
    }
    let most = bytes.len() / 2 / 2;
    let coding = match (even, odd) {
        (0, odd) if odd > most => Coding::Utf16Le,
        (even, 0) if even > most => Coding::Utf16Be,
        _ => return None,
    };
    let text = Charset::of(coding).decode(bytes);
    (!text.contains(char::REPLACEMENT_CHARACTER)).then_some(coding)
}

/// A declaration in the first two lines (`coding: latin-1`, `charset=euc-kr`), if the bytes agree with it.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..1024).unwrap_or(bytes);
    head.split(|byte| *byte == b'\n').take(2).find_map(|line| {
        let line = String::from_utf8_lossy(line).to_ascii_lowercase();
        let after = ["coding", "charset"]
            .iter()
            .find_map(|key| line.split_once(key))?
            .1;
        let label = after
            .strip_prefix([':', '='])?
            .trim_start_matches([' ', '\t', '"', '\'']);
        let end = label
            .find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)))
            .unwrap_or(label.len());
        let label = label.get(..end)?;
        let encoding = match label {
            "latin-1" | "latin_1" | "iso_8859_1" => WINDOWS_1252,
            label => Encoding::for_label(label.replace('_', "-").as_bytes())
                .or_else(|| Encoding::for_label(label.as_bytes()))?,
        };
        let usable = encoding.is_ascii_compatible()
            && encoding != encoding_rs::UTF_8
            && Charset::legacy(encoding).fits(bytes);
        usable.then_some(encoding)
    })
}

/// UTF-8 text with a few broken bytes: the sound multi-byte characters are at least as many as the breaks.
/// Text in another set hardly ever forms them.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut sound, mut broken) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        sound += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    sound >= broken
}

/// Sets whose letters are Latin: their texts differ from windows-1252 in a few letters only.
fn is_latin(encoding: &'static Encoding) -> bool {
    [
        encoding_rs::WINDOWS_1250,
        encoding_rs::WINDOWS_1254,
        encoding_rs::WINDOWS_1257,
        encoding_rs::WINDOWS_1258,
        encoding_rs::ISO_8859_2,
        encoding_rs::ISO_8859_3,
        encoding_rs::ISO_8859_4,
        encoding_rs::ISO_8859_10,
        encoding_rs::ISO_8859_13,
        encoding_rs::ISO_8859_14,
        encoding_rs::ISO_8859_15,
        encoding_rs::ISO_8859_16,
        encoding_rs::MACINTOSH,
    ]
    .contains(&encoding)
}

#[cfg(test)]
#[path = "charset_tests.rs"]
mod tests;

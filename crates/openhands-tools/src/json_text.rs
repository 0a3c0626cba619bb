//! A text as JSON has it between quotes, many times as fast as a serialiser writes it: large output is escaped only once, and
//! that was most of what it cost.

/// How much is looked at together for something to escape.
const BLOCK: usize = 32;

/// And how much when it is known that there is something.
const WORD: usize = 8;

/// A byte in each place of a word: one, and the highest bit.
const ONES: u64 = u64::from_le_bytes([1; WORD]);
const HIGHEST: u64 = u64::from_le_bytes([0x80; WORD]);

/// Appends a text as JSON has it between quotes, byte for byte as `serde_json` writes it. Most of what commands print needs no escape: what is
/// between two escapes is copied at once.
pub fn escape(text: &str, json: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    let mut copied = 0;
    for (number, block) in blocks.iter().enumerate() {
        // All of them, without leaving early: that is what processors do at once.
        let any = block
            .iter()
            .fold(false, |any, byte| any | is_special(*byte));
        if any {
            escape_block(bytes, number * BLOCK, block, &mut copied, json);
        }
    }
    for (at, byte) in (bytes.len() - rest.len()..).zip(rest) {
        if is_special(*byte) {
            escape_one(bytes, at, *byte, &mut copied, json);
        }
    }
    json.extend_from_slice(bytes.get(copied..).unwrap_or_default());
}

#[expect(
    clippy::needless_bitwise_bool,
    reason = "no branches, so that a block is looked at as one"
)]
fn is_special(byte: u8) -> bool {
    (byte < b' ') | (byte == b'"') | (byte == b'\\')
}

/// Escapes what a block has to escape. It is at this place in all bytes.
fn escape_block(
    bytes: &[u8],
    start: usize,
    block: &[u8; BLOCK],
    copied: &mut usize,
    json: &mut Vec<u8>,
) {
    let (words, _) = block.as_chunks::<WORD>();
    for (number, word) in words.iter().enumerate() {
        let mut rest = special_bytes(u64::from_le_bytes(*word));
        while rest != 0 {
            let place = (rest.trailing_zeros() / u8::BITS) as usize;
            let byte = word.get(place).copied().unwrap_or_default();
            // What is above the first one may be a false alarm.
            if is_special(byte) {
                escape_one(bytes, start + number * WORD + place, byte, copied, json);
            }
            rest &= rest - 1;
        }
    }
}

/// The highest bit of each byte that has to be escaped, and perhaps of some above such a byte: a difference borrows from the next.
const fn special_bytes(word: u64) -> u64 {
    let quotes = word ^ (ONES * b'"' as u64);
    let backslashes = word ^ (ONES * b'\\' as u64);
    let below_space = word.wrapping_sub(ONES * b' ' as u64) & !word;
    let is_quote = quotes.wrapping_sub(ONES) & !quotes;
    let is_backslash = backslashes.wrapping_sub(ONES) & !backslashes;
    (below_space | is_quote | is_backslash) & HIGHEST
}

/// Appends all up to a byte that has to be escaped, and that byte.
fn escape_one(bytes: &[u8], at: usize, byte: u8, copied: &mut usize, json: &mut Vec<u8>) {
    json.extend_from_slice(bytes.get(*copied..at).unwrap_or_default());
    *copied = at + 1;
    match byte {
        b'"' => json.extend_from_slice(br#"\""#),
        b'\\' => json.extend_from_slice(br"\\"),
        b'\n' => json.extend_from_slice(br"\n"),
        b'\r' => json.extend_from_slice(br"\r"),
        b'\t' => json.extend_from_slice(br"\t"),
        0x08 => json.extend_from_slice(br"\b"),
        0x0c => json.extend_from_slice(br"\f"),
        other => json.extend_from_slice(format!(r"\u{other:04x}").as_bytes()),
    }
}

#[cfg(test)]
#[path = "json_text_tests.rs"]
mod tests;

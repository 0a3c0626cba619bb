//! A text as JSON has it between quotes, many times as fast as a serialiser writes it: large output is escaped only once, and
//! that was most of what it cost.
//!
//! Unsafe code: instructions of the processor, which every one of its kind has.
#![allow(unsafe_code)]

/// How much is looked at together for something to escape: a bit of a word for each byte.
const BLOCK: usize = 64;

/// What is gathered before it is appended, and by how much a block can exceed it: every byte of it as `\u0000`, and a block that is
/// copied too far.
const GATHERED: usize = 4 << 10;
const EXCESS: usize = (ESCAPE + 1) * BLOCK;

/// The longest that a byte can become.
const ESCAPE: usize = 6;

/// Appends a text as JSON has it between quotes, byte for byte as `serde_json` writes it.
///
/// Not made part of its callers, which may be optimised for size.
#[inline(never)]
pub fn escape(text: &str, json: &mut Vec<u8>) {
    for byte in escape_blocks(text.as_bytes(), json) {
        if is_special(*byte) {
            let mut escaped = [0; ESCAPE];
            let length = put(*byte, &mut escaped);
            json.extend_from_slice(escaped.get(..length).unwrap_or_default());
        } else {
            json.push(*byte);
        }
    }
}

/// Escapes all but the last bytes, and gives these. Copies of fixed length are a few instructions, so that a whole block is copied where less is
/// wanted; the next one is written over what was too much.
fn escape_blocks<'a>(mut rest: &'a [u8], json: &mut Vec<u8>) -> &'a [u8] {
    let mut room = [0; GATHERED + EXCESS];
    let mut filled = 0;
    // Two blocks, so that one can be copied from any place in the first.
    while let Some(window) = rest.first_chunk::<{ 2 * BLOCK }>() {
        if filled > GATHERED {
            json.extend_from_slice(room.get(..filled).unwrap_or_default());
            filled = 0;
        }
        let mut specials = window.first_chunk().map_or(0, specials);
        let mut done = 0;
        copy(window, done, &mut room, filled);
        while specials != 0 {
            let at = specials.trailing_zeros() as usize;
            specials &= specials - 1;
            filled += at - done;
            let byte = window.get(at).copied().unwrap_or_default();
            filled += put(byte, room.get_mut(filled..).unwrap_or_default());
            done = at + 1;
            copy(window, done, &mut room, filled);
        }
        filled += BLOCK - done;
        rest = rest.get(BLOCK..).unwrap_or_default();
    }
    json.extend_from_slice(room.get(..filled).unwrap_or_default());
    rest
}

/// Copies a block between these places.
#[inline]
fn copy(from: &[u8], start: usize, to: &mut [u8], at: usize) {
    let from = from.get(start..).and_then(|from| from.first_chunk());
    let to = to.get_mut(at..).and_then(|to| to.first_chunk_mut());
    if let (Some(from), Some(to)) = (from, to) {
        let from: &[u8; BLOCK] = from;
        *to = *from;
    }
}

/// Writes what stands for a byte, and says how long it is.
#[inline]
fn put(byte: u8, to: &mut [u8]) -> usize {
    let letter = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        other => return put_number(other, to),
    };
    if let Some(to) = to.first_chunk_mut() {
        *to = [b'\\', letter];
    }
    2
}

fn put_number(byte: u8, to: &mut [u8]) -> usize {
    let digit = |value| char::from_digit(u32::from(value), 16).map_or(b'0', |digit| digit as u8);
    if let Some(to) = to.first_chunk_mut::<ESCAPE>() {
        *to = [b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 0xf)];
    }
    ESCAPE
}

fn is_special(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

/// A bit for each byte of a block that has to be escaped, the lowest for the first.
#[cfg(target_arch = "x86_64")]
#[inline]
fn specials(block: &[u8; BLOCK]) -> u64 {
    // SAFETY: there is no 64-bit processor of this kind without SSE2.
    unsafe { specials_by_sse2(block) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
#[inline]
fn specials_by_sse2(block: &[u8; BLOCK]) -> u64 {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x,
        _mm_set1_epi8,
    };
    let is =
        |bytes: __m128i, wanted: u8| _mm_cmpeq_epi8(bytes, _mm_set1_epi8(wanted.cast_signed()));
    let (words, _) = block.as_chunks::<8>();
    let (pairs, _) = words.as_chunks::<2>();
    let mut specials = 0;
    for [low, high] in pairs.iter().rev() {
        let bytes = _mm_set_epi64x(i64::from_le_bytes(*high), i64::from_le_bytes(*low));
        let controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
        let any = _mm_or_si128(controls, _mm_or_si128(is(bytes, b'"'), is(bytes, b'\\')));
        // Sixteen bits.
        let bits = u64::from(_mm_movemask_epi8(any).cast_unsigned());
        specials = specials << 16 | bits;
    }
    specials
}

#[cfg(not(target_arch = "x86_64"))]
use specials_by_words as specials;

/// The same for any processor.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn specials_by_words(block: &[u8; BLOCK]) -> u64 {
    /// A byte in each place of a word: one, and the highest bit.
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGHEST: u64 = u64::from_le_bytes([0x80; 8]);
    /// Brings the lowest bits of all bytes together in the highest byte.
    const TOGETHER: u64 = 0x0102_0408_1020_4080;
    // The highest bit of each byte that is at least 0x80 less `added`; there is no carry from byte to byte.
    let at_least = |word: u64, added: u8| ((word & !HIGHEST) + ONES * u64::from(added)) | word;
    let (words, _) = block.as_chunks::<8>();
    words.iter().rev().fold(0, |specials, word| {
        let word = u64::from_le_bytes(*word);
        let no_control = at_least(word, 0x80 - b' ');
        let no_quote = at_least(word ^ (ONES * u64::from(b'"')), 0x7f);
        let no_backslash = at_least(word ^ (ONES * u64::from(b'\\')), 0x7f);
        let bits = !(no_control & no_quote & no_backslash) & HIGHEST;
        specials << 8 | (bits >> 7).wrapping_mul(TOGETHER) >> 56
    })
}

#[cfg(test)]
#[path = "json_text_tests.rs"]
mod tests;

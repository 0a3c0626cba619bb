//! Telling text from what is none.

use super::charset::Coding;
use super::document::Document;

/// Bytes that the first impression rests on.
const CHUNK_BYTES: usize = 1024;

/// Whether a file is not text. A file without control characters is text whatever its start looks like;
/// one with some is judged by its first bytes, so that coloured output or a stray byte far down does no harm.
pub(super) fn is_binary(document: &Document) -> bool {
    if !has_control_bytes(document.text().as_bytes()) {
        return false;
    }
    let bytes = document.bytes();
    let chunk = bytes.get(..CHUNK_BYTES).unwrap_or(bytes);
    let is_wide = matches!(document.charset().coding, Coding::Utf16Le | Coding::Utf16Be);
    if !is_wide && chunk.contains(&0) {
        return true;
    }
    if matches!(document.charset().coding, Coding::Legacy(_)) && chunk.contains(&0xFF) {
        return true;
    }
    let odd = chunk
        .iter()
        .filter(|byte| !matches!(byte, 0x08 | b'\t' | b'\n' | 0x0C | b'\r' | 0x20..=0x7E | 0x80..))
        .count();
    odd * 10 > chunk.len() * 3
}

/// Looks at whole blocks without leaving them early, which lets the compiler compare many bytes at once.
fn has_control_bytes(bytes: &[u8]) -> bool {
    let is_control = |byte: u8| matches!(byte, 0..=8 | 0x0E..=0x1F | 0x7F);
    bytes.chunks(CHUNK_BYTES).any(|block| {
        block
            .iter()
            .fold(false, |found, byte| found | is_control(*byte))
    })
}

//! A text as JSON has it between quotes, many times as fast as a serialiser writes it: large output is escaped only once, and
//! that was most of what it cost.

/// How much is looked at together for something to escape.
const BLOCK: usize = 32;

/// Appends a text as JSON has it between quotes, byte for byte as `serde_json` writes it. Most of what commands print needs no escape,
/// and is copied in blocks.
pub fn escape(text: &str, json: &mut Vec<u8>) {
    let (blocks, rest) = text.as_bytes().as_chunks::<BLOCK>();
    for block in blocks {
        // All of them, without leaving early: that is what processors do at once.
        let any = block
            .iter()
            .fold(false, |any, byte| any | is_special(*byte));
        if any {
            escape_bytes(block, json);
        } else {
            json.extend_from_slice(block);
        }
    }
    escape_bytes(rest, json);
}

#[expect(
    clippy::needless_bitwise_bool,
    reason = "no branches, so that a block is looked at as one"
)]
fn is_special(byte: u8) -> bool {
    (byte < b' ') | (byte == b'"') | (byte == b'\\')
}

fn escape_bytes(mut bytes: &[u8], json: &mut Vec<u8>) {
    while let Some(at) = bytes.iter().position(|byte| is_special(*byte)) {
        let (plain, from) = bytes.split_at(at);
        json.extend_from_slice(plain);
        let Some((special, rest)) = from.split_first() else {
            return;
        };
        match special {
            b'"' => json.extend_from_slice(br#"\""#),
            b'\\' => json.extend_from_slice(br"\\"),
            b'\n' => json.extend_from_slice(br"\n"),
            b'\r' => json.extend_from_slice(br"\r"),
            b'\t' => json.extend_from_slice(br"\t"),
            0x08 => json.extend_from_slice(br"\b"),
            0x0c => json.extend_from_slice(br"\f"),
            other => json.extend_from_slice(format!(r"\u{other:04x}").as_bytes()),
        }
        bytes = rest;
    }
    json.extend_from_slice(bytes);
}

#[cfg(test)]
#[path = "json_text_tests.rs"]
mod tests;

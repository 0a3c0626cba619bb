use proptest::prelude::*;

use super::*;

fn check(text: &str) {
    let mut json = b"\"".to_vec();
    escape(text, &mut json);
    json.push(b'"');
    assert_eq!(
        String::from_utf8(json).unwrap(),
        serde_json::to_string(text).unwrap()
    );
}

#[test]
fn every_character_at_every_place_of_a_block_is_written_as_by_the_library() {
    for character in (0..0x180).filter_map(char::from_u32) {
        for before in 0..BLOCK {
            check(&format!(
                "{}{character}{}",
                "x".repeat(before),
                "y".repeat(2 * BLOCK)
            ));
        }
    }
}

#[test]
fn a_text_of_nothing_but_the_longest_escapes_is_written_as_by_the_library() {
    for length in [1, BLOCK, 2 * BLOCK, GATHERED, 3 * GATHERED + 1] {
        check(&"\u{1b}".repeat(length));
    }
}

#[test]
fn every_byte_is_told_by_words_as_one_by_one() {
    for byte in 0..=u8::MAX {
        for others in [0, b' ' - 1, b' ', b'!', 0x7f, 0x80, u8::MAX] {
            for at in 0..BLOCK {
                let mut block = [others; BLOCK];
                *block.get_mut(at).unwrap() = byte;
                let bits = block.iter().rev();
                let bits = bits.fold(0, |bits, byte| bits << 1 | u64::from(is_special(*byte)));
                assert_eq!(specials(&block), bits, "{byte} among {others}");
                assert_eq!(specials_by_words(&block), bits, "{byte} among {others}");
            }
        }
    }
}

proptest! {
    #[test]
    fn texts_are_written_as_by_the_library(text in "(x{0,40}[\\PC\u{0}-\u{1f}\"\\\\]){0,20}") {
        check(&text);
    }
}

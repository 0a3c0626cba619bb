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
                "y".repeat(BLOCK)
            ));
        }
    }
}

proptest! {
    #[test]
    fn texts_are_written_as_by_the_library(text in "(x{0,40}[\\PC\u{0}-\u{1f}\"\\\\]){0,20}") {
        check(&text);
    }
}

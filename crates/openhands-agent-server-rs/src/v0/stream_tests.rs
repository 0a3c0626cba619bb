use super::*;

#[test]
fn a_character_is_not_cut_between_pieces() {
    let mut bytes = "h\u{e9}".as_bytes().get(..2).unwrap().to_vec();
    assert_eq!(whole_text(&mut bytes), "h");
    bytes.push(0xa9);
    assert_eq!(whole_text(&mut bytes), "\u{e9}");
    // What can never become a character is shown as such, and is not kept.
    let mut bytes = b"\xffok".to_vec();
    assert_eq!(whole_text(&mut bytes), "\u{fffd}ok");
    assert!(bytes.is_empty());
}

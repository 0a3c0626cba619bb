use super::*;

#[test]
fn ranges_of_lines_are_those_of_the_reference() {
    let text = "a\nb\nc\nd\n";
    for (start, end, shown) in [
        (0, -1, text),
        (-5, -1, text),
        (1, -1, "b\nc\nd\n"),
        (9, -1, ""),
        (1, 2, "b\n"),
        (1, 9, "b\nc\nd\n"),
        (2, 1, "c\n"),
        (3, 4, "c\nd\n"),
        (0, 0, "a\n"),
    ] {
        assert_eq!(lines(text, start, end), shown, "{start} {end}");
    }
    assert_eq!(lines("", 0, 5), "");
    assert_eq!(lines("only", 0, 1), "only");
}

#[test]
fn binary_files_are_told_from_text() {
    assert!(is_binary(b"\x89PNG\r\n\x1a\n\0\0"));
    assert!(!is_binary(b""));
    assert!(!is_binary("h\u{e9}llo \u{65e5}\u{672c}".as_bytes()));
    assert!(!is_binary(
        "\u{65e5}\u{672c}"
            .repeat(100)
            .as_bytes()
            .get(..301)
            .unwrap()
    ));
    // Latin-1: no UTF-8, but mostly letters.
    assert!(!is_binary(b"caf\xe9 au lait"));
    assert!(is_binary(&[0x80, 0x81, 0xfe, 0x90, b'a']));
}

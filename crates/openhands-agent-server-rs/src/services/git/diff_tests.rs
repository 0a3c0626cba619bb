use pretty_assertions::assert_eq;

use super::*;

#[test]
fn lines_are_joined_as_python_joins_them() {
    for (text, joined) in [
        ("", ""),
        ("a", "a"),
        ("a\n", "a"),
        ("a\n\n", "a\n"),
        ("a\r\nb\rc\n", "a\nb\nc"),
        ("\u{b}\u{c}\r", "\n\n"),
        ("x\u{1c}y\u{1f}z\u{85}\u{2028}", "x\ny\u{1f}z\n"),
    ] {
        assert_eq!(joined_lines(text), joined, "{text:?}");
    }
}

#[test]
fn sides_of_a_commit_are_trimmed() {
    assert_eq!(trimmed(b"\n  a\r\nb\rc \x0c\x1f\n"), "a\nb\nc");
}

//! Combinations of keys.

use super::*;

#[test]
fn combinations_are_taken_apart() {
    let apart = [
        ("a", vec!["a"]),
        ("Control+a", vec!["Control", "a"]),
        ("Control++", vec!["Control", "+"]),
        ("+", vec!["+"]),
        ("Shift+Tab", vec!["Shift", "Tab"]),
    ];
    for (text, expected) in apart {
        assert_eq!(combination(text).unwrap(), expected, "{text}");
    }
}

#[test]
fn keys_that_no_keyboard_has_are_named() {
    let unknown = [
        ("", ""),
        ("a+", ""),
        ("Foo", "Foo"),
        ("Control+Foo", "Foo"),
        ("Shift + a", "Shift "),
        ("enter", "enter"),
        ("é", "é"),
        ("ab", "ab"),
    ];
    for (text, name) in unknown {
        let expected = format!("Unknown key: \"{name}\"");
        assert_eq!(combination(text).unwrap_err(), expected, "{text}");
    }
}

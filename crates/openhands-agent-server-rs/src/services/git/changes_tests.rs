use pretty_assertions::assert_eq;

use super::*;

#[test]
fn letters_become_words() {
    let found = listed(name_status(
        b"M\0b.txt\0A\0a\nb\0D\0old\0T\0link\0U\0fight\0M\0fight\0A\0\xff.bin\0",
    ));
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|change| (change.status.as_str(), change.path.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            ("ADDED", "a\nb"),
            ("UPDATED", "b.txt"),
            ("UPDATED", "fight"),
            ("UPDATED", "link"),
            ("DELETED", "old"),
            ("ADDED", "\u{fffd}.bin"),
        ]
    );
}

#[test]
fn a_name_that_begins_like_a_child_is_not_below_it() {
    let child = OsString::from("foo");
    assert!(is_below("foo", &child));
    assert!(is_below("foo/a", &child));
    assert!(!is_below("foobar/a", &child));
    assert!(!is_below("foo.txt", &child));
}

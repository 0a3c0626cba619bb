use super::*;

#[test]
fn keys_are_known_by_name_place_and_sign() {
    for (name, code, number) in [
        ("Enter", "Enter", 13),
        ("a", "KeyA", 65),
        ("KeyA", "KeyA", 65),
        ("A", "KeyA", 65),
        ("!", "Digit1", 49),
        ("Digit1", "Digit1", 49),
        ("Comma", "Comma", 188),
        ("Shift", "ShiftLeft", 16),
        ("\n", "Enter", 13),
        ("F12", "F12", 123),
    ] {
        let key = key(name).unwrap();
        assert_eq!((key.code.as_str(), key.key_code), (code, number), "{name}");
    }
    for name in ["", "Nonsense", "KeyÄ", "é", "👋"] {
        assert_eq!(key(name), None, "{name}");
    }
}

#[test]
fn a_key_with_control_held_commands_and_does_not_write() {
    let key = key("a").unwrap();
    let plain = key.down(0, false);
    assert_eq!(
        (&plain["type"], &plain["text"]),
        (&json!("keyDown"), &json!("a"))
    );
    let held = key.down(CONTROL, false);
    assert_eq!(held["type"], "rawKeyDown");
    assert_eq!(held["commands"], json!(["selectAll"]));
    assert!(held.get("text").is_none());
}

#[test]
fn shift_changes_what_a_key_writes() {
    let shifted = |name| key(name).unwrap().shifted().text.unwrap();
    assert_eq!([shifted("a"), shifted("1"), shifted("A")], ["A", "!", "A"]);
    assert!(needs_shift('?') && needs_shift('Z') && !needs_shift(' ') && !needs_shift('z'));
}

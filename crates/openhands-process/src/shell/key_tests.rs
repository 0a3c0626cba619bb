use super::Key;
use pretty_assertions::assert_eq;

#[test]
fn every_spelling_of_a_control_key_is_the_same_key() {
    for name in ["C-c", "c-C", "CTRL-C", "ctrl+c", "Ctrl-c"] {
        assert_eq!(Key::parse(name), Some(Key::Control('c')), "{name}");
    }
    assert_eq!(Key::Control('c').bytes(), b"\x03");
    assert_eq!(Key::Control('z').bytes(), b"\x1a");
    assert_eq!(Key::parse("C-\\").map(Key::bytes), Some(b"\x1c".to_vec()));
}

#[test]
fn named_keys_send_what_a_terminal_sends() {
    let sent = |name: &str| Key::parse(name).map(Key::bytes).unwrap();
    assert_eq!(sent("enter"), b"\r");
    assert_eq!(sent("BS"), b"\x7f");
    assert_eq!(sent("PgDn"), b"\x1b[6~");
    assert_eq!(sent("UP"), b"\x1b[A");
}

#[test]
fn text_is_not_a_key() {
    for text in ["", "C-", "C-cc", "CTRL", "C-1", "enter ", "yes", "C-é"] {
        assert_eq!(Key::parse(text), None, "{text}");
    }
}

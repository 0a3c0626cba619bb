use super::{kind, typed};
use pretty_assertions::assert_eq;

#[test]
fn addresses_and_tokens_are_told_from_text() {
    for (text, expected) in [
        ("Ada", None),
        ("a@b.c", None),
        ("a@b.co", Some("email")),
        ("@me and a.b", Some("email")),
        ("a.b@localhost", None),
        ("tok_12345678901234", Some("credential")),
        ("tok_1234567890", None),
        ("only-letters-and-dashes", None),
        ("1234567890123456", None),
        ("abcdefgh12345678", None),
        ("2026-12-31T10:00", Some("credential")),
        ("متن_فارسی_۱۲۳۴۵۶", Some("credential")),
    ] {
        assert_eq!(kind(text), expected, "{text}");
    }
}

#[test]
fn the_answer_hides_what_looks_secret() {
    assert_eq!(typed("Ada", 2), "Typed 'Ada' into element 2");
    assert_eq!(typed("a@b.co", 2), "Typed <email> into element 2");
    assert_eq!(
        typed("sk-abc123.def456_7", 9),
        "Typed <credential> into element 9"
    );
}

use super::*;
use serde_json::json;

#[test]
fn values_print_as_in_python() {
    let members =
        json!({"a": 1, "b'": [true, false, null, 1.5], "c": {"d": "it's"}, "e": "\"'\\\n\u{1}é"});
    let printed = object(members.as_object().unwrap());
    assert_eq!(
        printed,
        r#"{'a': 1, "b'": [True, False, None, 1.5], 'c': {'d': "it's"}, 'e': '"\'\\\n\x01é'}"#
    );
}

#[test]
fn characters_that_do_not_show_are_printed_by_their_code() {
    let shown = "a\u{a0}\u{ad}\u{200b}\u{2028}\u{e000}\u{feff}\u{e0001}\u{f0000}\u{378}";
    assert_eq!(
        text(shown),
        r"'a\xa0\xad\u200b\u2028\ue000\ufeff\U000e0001\U000f0000\u0378'"
    );
    assert_eq!(text("é 日本 🍕 ·\u{301}"), "'é 日本 🍕 ·\u{301}'");
}

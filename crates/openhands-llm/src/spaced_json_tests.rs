use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn text_is_spelt_with_spaces_and_in_ascii() {
    let value = json!({"a": [1, 2.5, null, true], "b": {}, "c": "ä\n\"\u{1f600}", "d": []});
    assert_eq!(
        to_text(&value),
        r#"{"a": [1, 2.5, null, true], "b": {}, "c": "\u00e4\n\"\ud83d\ude00", "d": []}"#
    );
}

proptest! {
    #[test]
    fn any_text_survives(text in any::<String>()) {
        let value = json!({ text.clone(): [text] });
        prop_assert_eq!(serde_json::from_str::<Value>(&to_text(&value)).unwrap(), value);
    }
}

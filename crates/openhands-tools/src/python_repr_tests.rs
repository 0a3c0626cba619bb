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

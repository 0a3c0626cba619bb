use super::*;
use serde_json::json;

fn repair(arguments: &Value, property: &Value) -> Value {
    let schema = json!({"properties": {"x": property}, "$defs": {"Loop": {"$ref": "#/$defs/Loop"}, "List": {"type": "array"}}});
    let arguments = arguments.as_object().unwrap().clone();
    types(arguments, schema.as_object().unwrap())["x"].clone()
}

#[test]
fn lists_and_objects_in_text_are_decoded() {
    let list = json!({"type": "array"});
    for (text, expected) in [
        ("[1, 5]", json!([1, 5])),
        (" [1] ", json!([1])),
        ("[1] x", json!([1])),
        ("[1,2]}", json!([1, 2])),
        ("{\"a\": \"b\nc\"}", json!({"a": "b\nc"})),
        ("[1,2]]", json!("[1,2]]")),
        ("x [1]", json!("x [1]")),
        ("[1", json!("[1")),
        ("1", json!("1")),
        ("", json!("")),
    ] {
        assert_eq!(repair(&json!({"x": text}), &list), expected, "{text}");
    }
    assert_eq!(
        repair(&json!({"x": "[1]"}), &json!({"$ref": "#/$defs/List"})),
        json!([1])
    );
    assert_eq!(
        repair(&json!({"x": "[1]"}), &json!({"$ref": "#/$defs/Loop"})),
        json!("[1]")
    );
}

#[test]
fn texts_in_pieces_are_joined_unless_they_are_a_choice_of_words() {
    let text = json!({"type": "string"});
    assert_eq!(repair(&json!({"x": ["a", "b"]}), &text), json!("ab"));
    assert_eq!(repair(&json!({"x": []}), &text), json!(""));
    assert_eq!(repair(&json!({"x": ["a", 1]}), &text), json!(["a", 1]));
    let choice = json!({"type": "string", "enum": ["view"]});
    assert_eq!(repair(&json!({"x": ["view"]}), &choice), json!(["view"]));
}

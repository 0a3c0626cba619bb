use super::*;
use pretty_assertions::assert_eq;
use serde_json::json;

fn check(given: &Value) -> Result<Value, String> {
    let schema = json!({
        "type": "object",
        "properties": {
            "a": {"type": "integer"},
            "b": {"type": "number", "default": 1.0},
            "s": {"type": ["string", "null"]},
            "either": {"type": ["string", "integer"]},
            "opts": {"anyOf": [{"type": "object"}, {"type": "null"}]},
            "tags": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
            "flag": {"type": "boolean"},
            "map": {"type": "object", "properties": {"x": {"type": "string"}}},
            "kind": {"type": "string"},
            "free": true,
        },
        "required": ["a", "kind"],
    });
    let fields = Fields::new(schema.as_object().unwrap());
    fields
        .check(given.as_object().unwrap())
        .map(Value::Object)
        .map_err(|error| error.to_string())
}

#[test]
fn arguments_come_in_the_order_of_the_schema_and_with_its_types() {
    let taken = check(&json!({
        "kind": "k", "b": 2, "a": "3", "opts": {"x": null, "y": [null]}, "tags": [["x"], []], "flag": "yes",
        "map": {"x": 1}, "free": 5, "either": [1], "s": null,
    }))
    .unwrap();
    assert_eq!(
        taken.to_string(),
        json!({
            "a": 3, "b": 2.0, "either": [1], "opts": {"x": null, "y": [null]}, "tags": [["x"], []], "flag": true,
            "map": {"x": 1}, "kind": "k", "free": 5,
        })
        .to_string()
    );
}

#[test]
fn whole_numbers_beyond_64_bits_are_not_changed() {
    let taken = check(&json!({"a": u64::MAX, "kind": ""})).unwrap();
    assert_eq!(taken["a"], json!(u64::MAX));
}

#[test]
fn every_problem_is_reported() {
    assert_eq!(
        check(&json!({
            "a": "x", "kind": null, "q": 1, "w": null, "tags": [["x", 1], 2], "map": [], "s": 1, "b": {}, "flag": 7,
        }))
        .unwrap_err(),
        "a: Input should be a valid integer, unable to parse string as an integer (int_parsing); \
         b: Input should be a valid number (float_type); \
         s: Input should be a valid string (string_type); \
         tags.0.1: Input should be a valid string (string_type); \
         tags.1: Input should be a valid list (list_type); \
         flag: Input should be a valid boolean, unable to interpret input (bool_parsing); \
         map: Input should be a valid dictionary (dict_type); \
         kind: Field required (missing); \
         q: Extra inputs are not permitted (extra_forbidden)"
    );
}

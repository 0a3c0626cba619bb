use pretty_assertions::assert_eq;
use serde_json::{Map, Value, json};

use super::{merge, patch};

fn merged(
    how: fn(&mut Map<String, Value>, Map<String, Value>),
    base: Value,
    changes: Value,
) -> Value {
    let (Value::Object(mut base), Value::Object(changes)) = (base, changes) else {
        panic!("two objects");
    };
    how(&mut base, changes);
    Value::Object(base)
}

#[test]
fn objects_are_merged_and_lists_replaced() {
    let base = json!({"a": {"b": 1, "l": [1, 2]}, "x": 1});
    let changes = json!({"a": {"c": 2, "b": null, "l": [3]}});
    let result = json!({"a": {"l": [3], "c": 2}, "x": 1});
    assert_eq!(merged(merge, base.clone(), changes.clone()), result);
    assert_eq!(merged(patch, base, changes), result);
}

#[test]
fn a_null_at_the_top_takes_away_or_is_a_value() {
    let base = json!({"a": {"b": 1}, "c": 2});
    assert_eq!(
        merged(patch, base.clone(), json!({"a": null, "z": null})),
        json!({"c": 2})
    );
    assert_eq!(
        merged(merge, base, json!({"a": null})),
        json!({"a": null, "c": 2})
    );
}

#[test]
fn a_new_object_is_taken_as_it_is() {
    let changes = json!({"new": {"a": null, "b": 1}});
    assert_eq!(merged(merge, json!({}), changes.clone()), changes);
    assert_eq!(merged(patch, json!({"new": 5}), changes.clone()), changes);
}

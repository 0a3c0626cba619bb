use serde_json::json;

use super::*;

#[test]
fn places_are_those_of_a_json_pointer() {
    let value = json!({"a": {"b": [10, {"c": "d"}], "": 1}, "7": null});
    for place in [
        "",
        "/a",
        "/a/b",
        "/a/b/0",
        "/a/b/1/c",
        "/a/b/2",
        "/a/b/x",
        "/a/b/0/c",
        "/a/",
        "/7",
        "/8",
        "/a/c",
        "/a/b/1/c/d",
    ] {
        assert_eq!(at(&value, place), value.pointer(place), "{place}");
    }
}

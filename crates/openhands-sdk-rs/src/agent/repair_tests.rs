use super::*;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::json;

fn recorded() -> Value {
    serde_json::from_str(include_str!("../../tests/fixtures/call_repairs.json")).unwrap()
}

fn rows(name: &str) -> Vec<Value> {
    recorded()[name].as_array().unwrap().clone()
}

#[test]
fn argument_texts_are_read_as_the_reference_reads_them() {
    for row in rows("parse") {
        let text = row[0].as_str().unwrap();
        let read = match parse(text) {
            Ok(arguments) => json!([text, arguments]),
            Err(error) => json!([text, null, error.to_string()]),
        };
        assert_eq!(read, row);
    }
}

#[test]
fn calls_are_repaired_as_the_reference_repairs_them() {
    for row in rows("call") {
        let (name, text) = (row[0].as_str().unwrap(), row[1].as_str().unwrap());
        let usual = json!(["terminal", "file_editor", "task_tracker", "finish", "think"]);
        let tools = if row[2].is_null() { &usual } else { &row[2] };
        let tools: Vec<&str> = tools
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let repaired = match call(name, parse(text).unwrap(), &tools, GrepProgram::Ripgrep) {
            Ok(call) => json!([name, text, row[2], [call.name, call.arguments]]),
            Err(error) => json!([name, text, row[2], null, error.to_string()]),
        };
        assert_eq!(repaired, row);
    }
}

#[test]
fn argument_types_are_repaired_as_the_reference_repairs_them() {
    let schema = recorded()["schema"].as_object().unwrap().clone();
    for row in rows("types") {
        let arguments = row[0].as_object().unwrap().clone();
        assert_eq!(json!(types(arguments, &schema)), row[1], "{row}");
    }
}

#[test]
fn what_json_cannot_hold_counts_as_missing() {
    // compat: Python reads these; a tool could use none of them.
    for text in [r#"{"a": NaN}"#, r#"{"a": -Infinity}"#, r#"{"a": 1e999}"#] {
        assert_eq!(parse(text).unwrap(), Map::new(), "{text}");
    }
    assert_eq!(
        json!(parse(r#"{"a": "\ud800x"}"#).unwrap()),
        json!({"a": "\u{fffd}x"})
    );
}

#[test]
fn raw_control_characters_pass_in_pretty_printed_arguments() {
    // The reference refuses this one, because it escapes the line breaks between the members, too.
    let text = "{\n  \"a\": \"x\ty\",\n  \"b\": \"\u{1}\"\n}";
    assert_eq!(
        json!(parse(text).unwrap()),
        json!({"a": "x\ty", "b": "\u{1}"})
    );
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".{0,80}") {
        let _ = parse(&text);
    }

    #[test]
    fn near_json_is_read_or_refused(parts in prop::collection::vec(prop::sample::select(vec![
        "{", "}", "[", "]", ",", ":", "\"", "\\", "u", "d83d", "\\ud83d\\ude00", "1", "-", ".", "e", "null", "NaN", " ", "\n", "\t", "a", "é", "\u{1}",
    ]), 0..30)) {
        let _ = parse(&parts.concat());
    }

    #[test]
    fn json_objects_are_read_as_they_are(text in "[a-z\"\\\\\n\u{1}é😀]{0,20}", number in any::<i64>()) {
        let arguments = json!({"text": text, "number": number, "list": [text, null]});
        prop_assert_eq!(json!(parse(&arguments.to_string()).unwrap()), arguments);
    }

    #[test]
    fn any_call_is_repaired_or_refused(name in ".{0,20}", key in "[a-z_]{0,12}", value in ".{0,20}") {
        let arguments = Map::from_iter([(key, Value::String(value))]);
        let registered = ["terminal", "file_editor"];
        let schema = json!({"properties": {"path": {"type": "array"}}});
        if let Ok(call) = call(&name, arguments, &registered, GrepProgram::Grep) {
            types(call.arguments, schema.as_object().unwrap());
        }
    }
}

#[test]
fn deep_nesting_is_refused_and_not_a_crash() {
    for open in ["[", "{\"a\":"] {
        assert!(parse(&open.repeat(100_000)).is_err());
    }
}

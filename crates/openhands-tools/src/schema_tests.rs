use super::*;
use openhands_protocol::tool::ToolAnnotations;
use pretty_assertions::assert_eq;

const BOTH: Additions = Additions {
    security_risk: true,
    summary: true,
};

fn spec(schema: &Value, read_only: bool) -> ToolSpec {
    ToolSpec {
        name: "t".into(),
        description: "d".into(),
        input_schema: schema.as_object().unwrap().clone().into(),
        annotations: Some(ToolAnnotations {
            read_only_hint: read_only,
            ..ToolAnnotations::default()
        }),
        title: "t".into(),
        kind: "TTool".into(),
        action_type: "TAction".into(),
        observation_type: None,
    }
}

fn names(schema: &JsonObject) -> Vec<String> {
    schema["properties"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect()
}

#[test]
fn added_fields_come_first_and_risk_only_where_something_can_change() {
    let schema =
        json!({"type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "string"}}});
    assert_eq!(
        names(&parameters(&spec(&schema, false), BOTH)),
        ["security_risk", "summary", "b", "a"]
    );
    assert_eq!(
        names(&parameters(&spec(&schema, true), BOTH)),
        ["summary", "b", "a"]
    );
}

#[test]
fn a_tool_keeps_its_own_summary() {
    let own = json!({"type": "object", "properties": {"summary": {"type": "integer"}}, "required": ["summary"]});
    let reduced = parameters(&spec(&own, true), BOTH);
    assert_eq!(reduced["properties"]["summary"], json!({"type": "integer"}));
    assert_eq!(reduced["required"], json!(["summary"]));
}

#[test]
fn references_alternatives_and_defaults_are_resolved() {
    let schema = json!({
        "type": "object",
        "title": "Args",
        "$defs": {
            "Item": {"type": "object", "title": "Item", "properties": {"next": {"$ref": "#/$defs/Item"}, "n": {"type": "integer", "default": 3}}},
        },
        "properties": {
            "maybe": {"anyOf": [{"type": "null"}, {"type": "number", "minimum": 0}], "default": null, "description": "outer"},
            "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
            "gone": {"$ref": "#/$defs/Missing"},
        },
        "required": [],
    });
    let reduced = parameters(
        &spec(&schema, true),
        Additions {
            security_risk: true,
            summary: false,
        },
    );
    assert_eq!(
        Value::Object(reduced.0),
        json!({
            "type": "object",
            "properties": {
                "maybe": {"type": "number", "description": "outer"},
                "items": {"type": "array", "items": {"type": "object", "properties": {"next": {"type": "object"}, "n": {"type": "integer"}}}},
                "gone": {"type": "object"},
            },
        })
    );
}

#[test]
fn both_wire_forms_carry_the_same_parameters() {
    let tool = spec(&json!({"type": "object", "properties": {}}), false);
    let chat = chat_form(&tool, BOTH);
    let flat = responses_form(&tool, BOTH);
    assert_eq!(chat["function"]["parameters"], flat["parameters"]);
    assert_eq!(flat["strict"], json!(false));
    assert_eq!(chat["function"]["name"], json!("t"));
}

#[test]
fn references_that_fan_out_do_not_fill_the_memory() {
    let mut defs = Map::new();
    for level in 0..23 {
        let next = json!({"$ref": format!("#/$defs/{}", level + 1)});
        let fan = json!({"type": "object", "properties": {"a": next, "b": next, "c": next}});
        defs.insert(level.to_string(), fan);
    }
    defs.insert("23".into(), json!({"type": "string"}));
    let schema = json!({"properties": {"x": {"$ref": "#/$defs/0"}}, "$defs": defs});
    let reduced = reduced_properties(schema.as_object().unwrap());
    let size = Value::Object(reduced).to_string().len();
    assert!(size < 1 << 20, "{size} bytes");
}

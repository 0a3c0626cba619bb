use crate::arguments::Loc;
use crate::registry::{CreateError, Definitions, Place, Registry};
use crate::schema::{Additions, parameters};
use openhands_protocol::JsonObject;
use openhands_protocol::tool::{Action, Tool};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn defined(schema: Value) -> Result<Definitions, CreateError> {
    let mut params = JsonObject::new();
    params.0.insert("response_schema".into(), schema);
    let wanted = [Tool {
        params,
        ..Tool::new("write_file")
    }];
    Registry::standard().definitions(&wanted, &Place::default())
}

fn verdict() -> Value {
    json!({
        "type": "object",
        "title": "Verdict",
        "properties": {
            "score": {"type": "integer", "minimum": 0, "maximum": 10},
            "reasons": {"type": "array", "items": {"$ref": "#/$defs/Reason"}},
        },
        "required": ["score"],
        "$defs": {"Reason": {"type": "string", "minLength": 1, "description": "Why."}},
    })
}

#[test]
fn the_fields_of_the_schema_stand_behind_the_tools_own() {
    let definitions = defined(verdict()).unwrap();
    let additions = Additions {
        security_risk: true,
        summary: true,
    };
    let spec = definitions.get("write_file").unwrap().spec();
    let sent = parameters(spec, additions).0;
    let names: Vec<&String> = sent["properties"].as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        [
            "security_risk",
            "summary",
            "file_path",
            "content",
            "score",
            "reasons"
        ]
    );
    assert_eq!(
        sent["properties"]["reasons"]["items"],
        json!({"type": "string", "description": "Why."})
    );
    assert_eq!(sent["required"], json!(["file_path", "content", "score"]));
}

#[test]
fn a_call_is_split_into_its_action_and_its_structured_output() {
    let definitions = defined(verdict()).unwrap();
    let tool = definitions.get("write_file").unwrap();
    let call = json!({"file_path": "a", "content": "b", "score": 7, "reasons": ["c"]});
    let call = call.as_object().unwrap();
    let Action::WriteFile(action) = tool.decode(call).unwrap() else {
        panic!("another action")
    };
    assert_eq!(
        (action.file_path.as_str(), action.content.as_str()),
        ("a", "b")
    );
    let output = tool.structured_output(call).unwrap();
    assert_eq!(
        Value::Object(output.0),
        json!({"score": 7, "reasons": ["c"]})
    );
    let plain = Registry::standard()
        .definitions(&[Tool::new("write_file")], &Place::default())
        .unwrap();
    assert_eq!(
        plain.get("write_file").unwrap().structured_output(call),
        None
    );
}

#[test]
fn a_wrong_answer_is_refused_together_with_wrong_arguments() {
    let definitions = defined(verdict()).unwrap();
    let tool = definitions.get("write_file").unwrap();
    let call = json!({"content": "b", "score": 11, "reasons": ["c", ""]});
    let errors = tool.decode(call.as_object().unwrap()).unwrap_err().errors;
    let seen: Vec<_> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        seen,
        [
            "score: response_schema validation failed: should be at most 10 (value_error)",
            "reasons.1: response_schema validation failed: should have at least 1 characters (value_error)",
            "file_path: Field required (missing)",
        ]
    );
    let missing = json!({"file_path": "a", "content": "b"});
    let errors = tool
        .decode(missing.as_object().unwrap())
        .unwrap_err()
        .errors;
    assert_eq!(errors[0].loc, [Loc::from("score")]);
}

#[test]
fn schemas_that_cannot_be_merged_are_refused() {
    let object = |properties: Value| json!({"type": "object", "properties": properties});
    for (schema, problem) in [
        (
            object(json!({"content": {"type": "string"}})),
            "already used by the tool: `content`",
        ),
        (
            object(json!({"summary": {}, "kind": {}})),
            "reserved: `summary`, `kind`",
        ),
        (object(json!({})), "it must name its properties"),
        (json!({"type": "string"}), "it must describe an object"),
        (json!("text"), "it must be a JSON schema"),
        (
            object(json!({"a": {"type": "nope"}})),
            r#"`type` cannot be "nope""#,
        ),
        (
            json!({"type": "object", "properties": {"a": {}}, "required": ["b"]}),
            "required but not a property: `b`",
        ),
        (
            json!({"type": "object", "properties": {"a": {}}, "anyOf": [{}]}),
            "not possible at the top level: `anyOf`",
        ),
        (
            json!({"type": "object", "properties": {"a": {}}, "additionalProperties": true}),
            "it cannot allow additional properties",
        ),
    ] {
        let refused = defined(schema.clone()).unwrap_err();
        assert_eq!(
            refused,
            CreateError::BadParameter {
                tool: "write_file".into(),
                parameter: "response_schema".into(),
                problem: problem.into(),
            },
            "{schema}"
        );
    }
}

#[test]
fn a_set_of_tools_takes_no_schema_and_null_is_none() {
    use crate::registry::Registration;
    let mut registry = Registry::standard();
    registry.register(
        "pair",
        Registration::new(
            |place, _| {
                let wanted = [Tool::new("grep"), Tool::new("glob")];
                let made = Registry::standard().definitions(&wanted, place)?;
                Ok(made.iter().cloned().collect())
            },
            |_, _| Ok(Vec::new()),
        ),
    );
    let with = |schema: Value| {
        let mut params = JsonObject::new();
        params.0.insert("response_schema".into(), schema);
        [Tool {
            params,
            ..Tool::new("pair")
        }]
    };
    let place = Place::default();
    let refused = registry.definitions(&with(verdict()), &place).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "tool 'pair' has a bad parameter `response_schema`: it needs a name that stands for exactly one tool"
    );
    let made = registry.definitions(&with(Value::Null), &place).unwrap();
    assert_eq!(made.iter().count(), 2);
}

use super::*;
use pretty_assertions::assert_eq;
use serde_json::json;

fn wrong(schema: Value, value: &Value) -> Vec<String> {
    let found = JsonSchema::new(schema).unwrap().violations(value);
    let place = |violation: &Violation| {
        let steps: Vec<String> = violation.at.iter().map(ToString::to_string).collect();
        steps.join(".")
    };
    found
        .iter()
        .map(|violation| format!("{}: {}", place(violation), violation.message))
        .collect()
}

/// Each row: a schema, values that fit it, values that do not.
const TABLE: &str = r##"[
    [{"type": "integer"}, [1, 1.0], [1.5, "1", true]],
    [{"type": ["string", "null"]}, ["a", null], [1]],
    [{"enum": [1, "a"]}, [1.0, "a"], ["b"]],
    [{"const": {"a": [1]}}, [{"a": [1.0]}], [{"a": []}]],
    [{"minimum": 1, "exclusiveMaximum": 3}, [1, "x"], [0.5, 3]],
    [{"exclusiveMinimum": 1, "maximum": 3}, [3], [1, 4]],
    [{"multipleOf": 2.5}, [5], [4]],
    [{"minLength": 2, "maxLength": 3}, ["日本"], ["日", "abcd"]],
    [{"pattern": "^a+$"}, ["aa"], ["ba"]],
    [{"minItems": 1, "maxItems": 2}, [[1]], [[], [1, 2, 3]]],
    [{"uniqueItems": true}, [[1, 2]], [[1, 1.0]]],
    [{"prefixItems": [{"type": "string"}], "items": {"type": "integer"}}, [["a", 1]], [[1], ["a", "b"]]],
    [{"contains": {"type": "null"}}, [[1, null]], [[1]]],
    [{"contains": {"const": 1}, "minContains": 2, "maxContains": 3}, [[1, 1]], [[1], [1, 1, 1, 1]]],
    [{"minProperties": 1, "maxProperties": 1}, [{"a": 1}], [{}, {"a": 1, "b": 2}]],
    [{"required": ["a"]}, [{"a": null}, 1], [{}]],
    [{"properties": {"a": {"type": "string"}}, "additionalProperties": false}, [{"a": "x"}], [{"a": 1}, {"b": 1}]],
    [{"patternProperties": {"^x": {"type": "null"}}, "additionalProperties": {"type": "string"}}, [{"x1": null, "b": "c"}], [{"x1": 1}, {"b": 1}]],
    [{"propertyNames": {"maxLength": 1}}, [{"a": 1}], [{"ab": 1}]],
    [{"dependentRequired": {"a": ["b"]}}, [{"b": 1}, {"a": 1, "b": 1}], [{"a": 1}]],
    [{"dependentSchemas": {"a": {"required": ["c"]}}}, [{"a": 1, "c": 1}], [{"a": 1}]],
    [{"allOf": [{"minimum": 1}, {"maximum": 2}]}, [1], [0, 3]],
    [{"anyOf": [{"type": "null"}, {"minLength": 2}]}, [null, "ab"], ["a"]],
    [{"oneOf": [{"minimum": 1}, {"maximum": 2}]}, [0, 3], [1]],
    [{"not": {"type": "string"}}, [1], ["a"]],
    [{"if": {"minimum": 10}, "then": {"multipleOf": 10}, "else": {"multipleOf": 2}}, [20, 4], [12.5, 3]],
    [{"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "null"}}}, [null], [1]],
    [{"properties": {"next": {"$ref": "#"}}, "required": ["v"]}, [{"v": 1, "next": {"v": 2}}], [{"v": 1, "next": {}}]],
    [false, [], [1]],
    [{"format": "email"}, ["no email"], []]
]"##;

#[test]
fn every_keyword_accepts_and_refuses() {
    let rows: Vec<(Value, Vec<Value>, Vec<Value>)> = serde_json::from_str(TABLE).unwrap();
    for (schema, fitting, unfit) in rows {
        for value in fitting {
            assert_eq!(wrong(schema.clone(), &value), [""; 0], "{schema} {value}");
        }
        for value in unfit {
            assert!(
                !wrong(schema.clone(), &value).is_empty(),
                "{schema} {value}"
            );
        }
    }
}

#[test]
fn every_violation_is_reported_at_its_place() {
    let schema = json!({
        "type": "object",
        "properties": {"list": {"items": {"type": "integer"}}, "name": {"type": "string"}},
        "required": ["name", "size"],
    });
    assert_eq!(
        wrong(schema, &json!({"list": [1, "two"], "name": 3})),
        [
            "size: is required",
            "list.1: should be of type integer",
            "name: should be of type string",
        ]
    );
}

#[test]
fn unsound_schemas_are_refused() {
    for schema in [
        json!(3),
        json!({"type": "text"}),
        json!({"type": []}),
        json!({"required": "a"}),
        json!({"properties": {"a": 1}}),
        json!({"anyOf": []}),
        json!({"pattern": "("}),
        json!({"minLength": -1}),
        json!({"minimum": "1"}),
        json!({"multipleOf": 0}),
        json!({"$ref": "#/$defs/none"}),
        json!({"$ref": "https://example.com/schema"}),
        json!({"items": {"unevaluatedProperties": false}}),
    ] {
        assert!(JsonSchema::new(schema.clone()).is_err(), "{schema}");
    }
}

#[test]
fn a_schema_that_leads_back_to_itself_ends() {
    let endless = json!({"$ref": "#"});
    assert_eq!(wrong(endless, &json!(1)).len(), 1);
    let branching = json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]});
    assert_eq!(
        wrong(branching, &json!(1)),
        [": fits none of the alternatives"]
    );
}

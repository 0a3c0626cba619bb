use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn tools(specs: &Value) -> Vec<ToolSpec> {
    specs
        .as_array()
        .unwrap()
        .iter()
        .map(|spec| ToolSpec {
            name: spec["function"]["name"].as_str().unwrap().to_owned(),
            description: String::new(),
            input_schema: spec["function"]["parameters"]
                .as_object()
                .unwrap()
                .clone()
                .into(),
            annotations: None,
            title: String::new(),
            kind: String::new(),
            action_type: String::new(),
            observation_type: None,
        })
        .collect()
}

/// The reference writes sets, whose order is by chance.
fn sorted_braces(text: &str) -> String {
    let Some((before, rest)) = text.split_once('{') else {
        return text.to_owned();
    };
    let (inside, after) = rest.split_once('}').unwrap();
    let mut names: Vec<_> = inside.split(", ").collect();
    names.sort_unstable();
    format!("{before}{{{}}}{after}", names.join(", "))
}

#[test]
fn all_recorded_cases() {
    let fixture: Value =
        serde_json::from_str(include_str!("../../tests/fixtures/text_calls.json")).unwrap();
    let tools = tools(&fixture["tools"]);
    let cases = fixture["cases"].as_array().unwrap();
    assert!(cases.len() >= 12);
    for case in cases {
        let decoded = decode(case["assistant_text"].as_str().unwrap(), &tools);
        let expect = &case["expect"];
        let seen = match decoded {
            Ok(Decoded {
                text,
                call: Some((name, arguments)),
            }) => json!({"message": {
                "role": "assistant",
                "content": text,
                "tool_calls": [{"index": 1, "id": "toolu_01", "type": "function",
                    "function": {"name": name, "arguments": arguments}}],
            }}),
            Ok(Decoded { text, call: None }) => {
                json!({"message": {"role": "assistant", "content": text}})
            }
            Err(error) => {
                json!({"error_type": error.code(), "error": sorted_braces(&error.message)})
            }
        };
        let mut expect = expect.clone();
        if let Some(error) = expect.get("error").and_then(Value::as_str) {
            expect["error"] = json!(sorted_braces(error));
        }
        assert_eq!(seen, expect, "{}", case["id"]);
    }
}

fn two_tools() -> Vec<ToolSpec> {
    let fixture: Value =
        serde_json::from_str(include_str!("../../tests/fixtures/text_calls.json")).unwrap();
    tools(&fixture["tools"])
}

#[test]
fn what_is_missing_or_of_the_wrong_kind_is_said() {
    let table = [
        (
            "<function=file_editor>\n<parameter=command>view</parameter>\n</function>",
            "Missing required parameters for function 'file_editor': {'path'}",
        ),
        (
            "<function=file_editor>\n<parameter=command>view</parameter>\n<parameter=path>/a</parameter>\n<parameter=view_range>1 to 5</parameter>\n</function>",
            "Parameter 'view_range' is expected to be an array.",
        ),
        (
            "<function=terminal>\n</function>",
            "Missing required parameters for function 'terminal': {'command'}",
        ),
    ];
    for (text, message) in table {
        let error = decode(text, &two_tools()).unwrap_err();
        assert_eq!(
            (error.kind, error.message.as_str()),
            (LlmErrorKind::FunctionCallValidation, message)
        );
    }
}

#[test]
fn text_without_a_call_stays_as_it_is() {
    for text in [
        "",
        "Done.\n",
        " all < is > well ",
        "<tool_call> is a word",
        "</think> so",
    ] {
        assert_eq!(
            decode(text, &two_tools()).unwrap(),
            Decoded {
                text: text.to_owned(),
                call: None
            }
        );
    }
}

#[test]
fn cut_off_calls_are_completed() {
    for text in [
        "<function=terminal>\n<parameter=command>ls</parameter>\n",
        "<function=terminal>\n<parameter=command>ls</parameter>\n</function",
        "<function=terminal>\n<parameter=command>ls",
        "thinking</think><function=terminal><parameter=command>ls</parameter></function>",
        "<function=execute_bash>\n<parameter=command>ls</parameter>\n</function>\nand more",
    ] {
        let call = decode(text, &two_tools()).unwrap().call;
        assert_eq!(
            call,
            Some(("terminal".to_owned(), r#"{"command": "ls"}"#.to_owned())),
            "{text}"
        );
    }
}

use super::*;
use pretty_assertions::assert_eq;
use serde_json::json;

fn known(name: &str) -> Option<String> {
    match name {
        "TOKEN" => Some("s3cret$HOME".to_owned()),
        "HOST" => Some("example.org".to_owned()),
        "EMPTY" => Some(String::new()),
        _ => None,
    }
}

fn arguments(value: Value) -> JsonObject {
    serde_json::from_value(value).unwrap()
}

#[test]
fn settings_know_braces_and_defaults_only() {
    let servers: IndexMap<String, McpServer> = serde_json::from_value(json!({
        "a": {
            "url": "https://${HOST}/${PATH_:-mcp}/$HOST",
            "headers": {"X-${HOST}": "Bearer ${TOKEN}"},
            "auth": {"strategy": "bearer", "value": "${TOKEN}"},
        },
        "b": {"command": "x", "args": ["${UNKNOWN}", "${TOKEN:-d}", "${EMPTY:-d}", "${1X}", "${", "$"]},
    }))
    .unwrap();
    let expanded = expand_servers(&servers, known).unwrap();
    assert_eq!(
        plain(&expanded).unwrap(),
        json!({
            "a": {
                "url": "https://example.org/mcp/$HOST",
                "headers": {"X-example.org": "Bearer s3cret$HOME"},
                "auth": {"strategy": "bearer", "value": "s3cret$HOME"},
                "enabled": true,
            },
            "b": {"command": "x", "args": ["${UNKNOWN}", "s3cret$HOME", "", "${1X}", "${", "$"], "enabled": true},
        })
    );
    let names: Vec<String> = variables_in_servers(&servers)
        .unwrap()
        .into_iter()
        .collect();
    assert_eq!(names, ["EMPTY", "HOST", "PATH_", "TOKEN", "UNKNOWN"]);
}

#[test]
fn arguments_know_the_shells_short_form_too() {
    let given = arguments(json!({
        "header": "token $TOKEN", "deep": [{"x": "${HOST}:$HOST_"}], "cost": "$5, $HOST.", "n": 5, "${HOST:-k}": null,
    }));
    assert_eq!(
        Value::Object(expand_arguments(&given, known).0),
        json!({
            "header": "token s3cret$HOME", "deep": [{"x": "example.org:$HOST_"}], "cost": "$5, example.org.", "n": 5,
            "example.org": null,
        })
    );
    let names: Vec<String> = variables_in_arguments(&given).into_iter().collect();
    assert_eq!(names, ["HOST", "HOST_", "TOKEN"]);
}

#[test]
fn text_beyond_ascii_stays_whole() {
    let given = arguments(json!({"x": "é$é ${é} 漢$HOST漢 ${HOST:-漢}"}));
    assert_eq!(
        Value::Object(expand_arguments(&given, known).0),
        json!({"x": "é$é ${é} 漢example.org漢 example.org"})
    );
}

use super::*;
use pretty_assertions::assert_eq;
use serde_json::json;

#[test]
fn servers_are_read_and_know_their_directory() {
    let text = json!({"mcpServers": {
        "local": {"command": "${SKILL_ROOT}/run", "args": ["--in=${SKILL_ROOT}/x", "${TOKEN:-none}"], "unknown": 1},
        "far": {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
    }});
    let servers = from_file(&text.to_string(), Path::new("/s/pdf")).unwrap();
    let local = &servers["local"];
    assert_eq!(local.command.as_deref(), Some("/s/pdf/run"));
    assert_eq!(
        local.args,
        Some(vec![
            "--in=/s/pdf/x".to_owned(),
            "${TOKEN:-none}".to_owned()
        ])
    );
    let far = &servers["far"];
    assert_eq!(far.url.as_deref(), Some("https://example.com/mcp"));
    let headers = far.headers.as_ref().unwrap();
    assert_eq!(headers["Authorization"].expose(), Some("Bearer ${TOKEN}"));
}

#[test]
fn a_file_without_servers_has_none() {
    assert_eq!(from_file("{}", Path::new("/s")).unwrap(), IndexMap::new());
}

#[test]
fn what_cannot_be_started_is_refused() {
    for text in [
        "",
        "[]",
        "{\"mcpServers\": []}",
        "{\"mcpServers\": {\"a\": {}}}",
        "{\"mcpServers\": {\"a\": 1}}",
    ] {
        let error = from_file(text, Path::new("/s")).unwrap_err().to_string();
        assert!(
            error.starts_with("invalid MCP configuration: "),
            "{text}: {error}"
        );
    }
}

#[test]
fn front_matter_has_servers_by_name_or_under_the_usual_key() {
    let of = |head: Value| from_front_matter(head.as_object().unwrap());
    let direct = of(json!({"mcp_tools": {"a": {"command": "x"}}}))
        .unwrap()
        .unwrap();
    let wrapped = of(json!({"mcp_tools": {"mcpServers": {"a": {"command": "x"}}}}))
        .unwrap()
        .unwrap();
    assert_eq!(direct, wrapped);
    assert_eq!(direct["a"].command.as_deref(), Some("x"));
    assert_eq!(of(json!({})).unwrap(), None);
    assert_eq!(of(json!({"mcp_tools": null})).unwrap(), None);
    assert!(of(json!({"mcp_tools": "x"})).is_err());
}

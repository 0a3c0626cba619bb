use super::*;
use pretty_assertions::assert_eq;
use serde_json::json;

fn server(value: Value) -> McpServer {
    serde_json::from_value(value).unwrap()
}

fn problem(value: Value) -> String {
    endpoint_of(&server(value)).unwrap_err().to_string()
}

fn headers_of(value: Value) -> Vec<(String, String)> {
    let remote = match endpoint_of(&server(value)).unwrap() {
        Endpoint::Http(remote) | Endpoint::Sse(remote) => remote,
        Endpoint::Stdio(program) => panic!("{program:?}"),
    };
    remote
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .collect()
}

#[test]
fn settings_that_cannot_work_say_why() {
    assert_eq!(
        problem(json!({"transport": "stdio", "url": "http://x"})),
        "stdio MCP servers require 'command'"
    );
    for transport in ["http", "streamable-http", "sse"] {
        assert_eq!(
            problem(json!({"transport": transport, "command": "x", "url": ""})),
            "remote MCP servers require 'url'"
        );
    }
    assert_eq!(
        problem(
            json!({"url": "http://x", "headers": {"AUTHORIZATION": "x"}, "auth": {"strategy": "none"}})
        ),
        "'auth' cannot be combined with an explicit top-level 'Authorization' header; use auth.strategy='header' instead."
    );
    assert_eq!(problem(json!({"url": "ftp://x"})), "Invalid URL: ftp://x");
    assert_eq!(
        problem(json!({"transport": "carrier-pigeon", "url": "http://x"})),
        "unknown transport 'carrier-pigeon'"
    );
    assert_eq!(
        problem(json!({"url": "http://x", "auth": {"strategy": "handshake"}})),
        "unknown auth.strategy 'handshake'"
    );
    assert_eq!(
        problem(json!({"url": "http://x", "headers": {"X-A": "s3cret\n"}})),
        "the header 'X-A' cannot be sent"
    );
    assert_eq!(
        problem(json!({"url": "http://x", "sse_read_timeout": -1})),
        "'sse_read_timeout' is not a number of seconds"
    );
    assert_eq!(
        problem(json!({})),
        "an MCP server needs a 'command' to start or a 'url' to connect to"
    );
}

#[test]
fn the_transport_is_inferred() {
    let way = |value| match endpoint_of(&server(value)).unwrap() {
        Endpoint::Stdio(_) => "stdio",
        Endpoint::Http(_) => "http",
        Endpoint::Sse(_) => "sse",
    };
    assert_eq!(way(json!({"command": "x"})), "stdio");
    assert_eq!(way(json!({"url": "http://x/mcp"})), "http");
    assert_eq!(way(json!({"url": "http://x/sse"})), "sse");
    assert_eq!(way(json!({"url": "http://x/v1/sse/?a=b"})), "sse");
    assert_eq!(way(json!({"url": "http://x/essence?p=/sse"})), "http");
    assert_eq!(
        way(json!({"url": "http://x/sse", "transport": "streamable-http"})),
        "http"
    );
    assert_eq!(
        way(json!({"url": "http://x/mcp", "transport": "sse"})),
        "sse"
    );
}

#[test]
fn each_strategy_has_its_headers() {
    let with =
        |auth: Value| headers_of(json!({"url": "http://x", "headers": {"X-A": "1"}, "auth": auth}));
    let own = ("x-a".to_owned(), "1".to_owned());
    let and = |name: &str, value: &str| vec![own.clone(), (name.to_owned(), value.to_owned())];
    assert_eq!(
        with(json!({"strategy": "none"})),
        std::slice::from_ref(&own)
    );
    assert_eq!(
        with(json!({"strategy": "api_key", "value": "k"})),
        and("authorization", "Bearer k")
    );
    assert_eq!(
        with(json!({"strategy": "api_key", "value": "k", "header_name": "X-Key"})),
        and("x-key", "k")
    );
    assert_eq!(
        with(json!({"strategy": "bearer", "value": "t"})),
        and("authorization", "Bearer t")
    );
    assert_eq!(
        with(json!({"strategy": "basic", "username": "ann", "password": "pw"})),
        and("authorization", "Basic YW5uOnB3")
    );
    assert_eq!(
        with(json!({"strategy": "header", "headers": {"Authorization": "Custom 1"}})),
        and("authorization", "Custom 1")
    );
    assert_eq!(
        with(json!({"strategy": "oauth2"})),
        std::slice::from_ref(&own)
    );
    // What is masked is not known here.
    assert_eq!(
        with(json!({"strategy": "bearer", "value": "**********"})),
        std::slice::from_ref(&own)
    );
}

#[test]
fn settings_of_other_programs_are_read() {
    let servers = read_servers(&json!({"mcpServers": {
        "a": {"type": "shttp", "url": "http://x/mcp", "alwaysAllow": ["x"], "disabled": false},
        "b": {"command": "y", "type": "stdio", "env": {"K": "v"}},
    }}))
    .unwrap();
    assert_eq!(servers["a"].transport, Some(McpTransport::Http));
    assert!(servers["a"].extra.is_empty());
    assert_eq!(servers["b"].transport, Some(McpTransport::Stdio));
    assert_eq!(read_servers(&json!({})).unwrap().len(), 0);
    assert_eq!(read_servers(&json!({"mcpServers": null})).unwrap().len(), 0);
    assert_eq!(
        read_servers(&json!({"a": {"command": "x"}})).unwrap().len(),
        1
    );
    assert_eq!(
        read_servers(&json!({"a": {"type": "sse"}})).unwrap_err(),
        ConfigError::NoUrl
    );
    assert!(read_servers(&json!({"a": "x"})).is_err());
    assert!(read_servers(&json!([1])).is_err());
}

#[test]
fn all_servers_disabled_is_an_error_and_none_is_not() {
    let disabled = IndexMap::from([
        (
            "b".to_owned(),
            server(json!({"command": "x", "enabled": false})),
        ),
        (
            "a".to_owned(),
            server(json!({"command": "x", "enabled": false})),
        ),
    ]);
    assert_eq!(
        enabled(&disabled).unwrap_err().to_string(),
        "All configured MCP servers are disabled: a, b. Enable at least one, or skip the call entirely."
    );
    assert!(enabled(&IndexMap::new()).unwrap().is_empty());
}

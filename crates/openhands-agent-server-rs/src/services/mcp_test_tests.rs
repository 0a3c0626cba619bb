use openhands_protocol::Secret;
use pretty_assertions::assert_eq;

use serde_json::json;

use super::*;

fn read(server: Value) -> Result<McpServer, Misshapen> {
    let server: McpTestServer = serde_json::from_value(server).unwrap();
    server_of(&server, None)
}

fn transport(server: Value) -> String {
    let server = read(server).unwrap();
    server.transport.unwrap().as_str().to_owned()
}

#[test]
fn both_ways_to_write_a_server_are_read() {
    for (server, expected) in [
        (json!({"command": "x"}), "stdio"),
        (
            json!({"type": "stdio", "command": "x", "args": ["a"]}),
            "stdio",
        ),
        (json!({"url": "http://h"}), "http"),
        (json!({"url": "http://h", "transport": "sse"}), "sse"),
        (json!({"type": "shttp", "url": "http://h"}), "http"),
        (
            json!({"type": "streamable-http", "url": "http://h"}),
            "streamable-http",
        ),
    ] {
        assert_eq!(transport(server.clone()), expected, "{server}");
    }
}

#[test]
fn a_word_that_nobody_knows_is_refused() {
    assert!(read(json!({"url": "http://h", "transport": "pigeon"})).is_err());
}

#[test]
fn sealed_values_are_opened() {
    let cipher = Cipher::new(&Secret::new("key"), &[]).unwrap();
    let server: McpTestServer = serde_json::from_value(json!({
        "url": "http://h",
        "headers": {"X-Key": cipher.seal("open"), "X-Plain": "plain"},
        "auth": {"strategy": "bearer", "value": cipher.seal("token")},
    }))
    .unwrap();
    let server = server_of(&server, Some(&cipher)).unwrap();
    let headers = server.headers.unwrap();
    assert_eq!(headers["X-Key"].expose(), Some("open"));
    assert_eq!(headers["X-Plain"].expose(), Some("plain"));
    let Some(McpAuth::Bearer(bearer)) = server.auth else {
        panic!("another way of authentication");
    };
    assert_eq!(bearer.value.unwrap().expose(), Some("token"));
}

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn one(item: &Value) -> Result<Entry, String> {
    match read_set(&json!([item])) {
        Ok(entries) => Ok(entries.into_iter().next().unwrap()),
        Err(Misshapen::Entry { why, .. }) => Err(why),
        Err(Misshapen::NotAList) => panic!("a list"),
    }
}

fn exposed(secrets: Option<&IndexMap<String, StarredSecret>>) -> Vec<(&str, &str)> {
    let secrets = secrets.unwrap();
    secrets
        .iter()
        .map(|(name, value)| (name.as_str(), value.expose().unwrap()))
        .collect()
}

#[test]
fn a_program_is_read_as_clients_write_it() {
    let entry = one(&json!({
        "name": "demo", "command": "python", "args": ["-m", "demo"], "env": {"A": "1"}, "more": true,
    }))
    .unwrap();
    assert_eq!(entry.name, "demo");
    assert_eq!(entry.server.command.as_deref(), Some("python"));
    assert_eq!(
        entry.server.args.as_deref().unwrap(),
        ["-m".to_owned(), "demo".to_owned()]
    );
    assert_eq!(exposed(entry.server.env.as_ref()), [("A", "1")]);
    assert!(entry.profiles.is_empty());
}

#[test]
fn arguments_and_environment_may_be_one_text() {
    let entry = one(&json!({"name": "d", "command": "c", "args": "-x 'a b'", "env": "A=1, B=x=y"}))
        .unwrap();
    assert_eq!(
        entry.server.args.as_deref().unwrap(),
        ["-x".to_owned(), "a b".to_owned()]
    );
    assert_eq!(
        exposed(entry.server.env.as_ref()),
        [("A", "1"), ("B", "x=y")]
    );
}

#[test]
fn servers_of_the_web_have_addresses_headers_and_keys() {
    let sse = one(&json!({"name": "s", "url": "http://h/sse", "transport": "sse", "api_key": "k"}));
    let sse = sse.unwrap().server;
    assert_eq!(sse.transport, Some(McpTransport::Sse));
    assert_eq!(
        exposed(sse.headers.as_ref()),
        [("Authorization", "Bearer k")]
    );
    let own = one(&json!({
        "name": "s", "url": "http://h/mcp", "transport": "shttp",
        "headers": {"authorization": "Basic x", "a": "b"}, "api_key": "k",
    }));
    let own = own.unwrap().server;
    assert_eq!(own.transport, Some(McpTransport::Http));
    assert_eq!(
        exposed(own.headers.as_ref()),
        [("authorization", "Basic x"), ("a", "b")]
    );
}

#[test]
fn a_server_may_be_in_profiles() {
    let of = |profile: Value| {
        one(&json!({"name": "d", "command": "c", "profile": profile})).map(|entry| entry.profiles)
    };
    assert_eq!(of(json!("work")).unwrap(), ["work".to_owned()]);
    assert_eq!(
        of(json!(["a", "b"])).unwrap(),
        ["a".to_owned(), "b".to_owned()]
    );
    assert!(of(json!("a b")).is_err());
    assert!(of(json!(5)).is_err());
}

#[test]
fn what_is_no_server_is_refused() {
    for item in [
        json!(5),
        json!({}),
        json!({"name": "x"}),
        json!({"name": 7, "command": "c"}),
        json!({"name": "bad name!", "command": "c"}),
        json!({"name": "", "command": "c"}),
        json!({"name": "x", "command": "two words"}),
        json!({"name": "x", "command": "c", "args": [1]}),
        json!({"name": "x", "command": "c", "args": "'open"}),
        json!({"name": "x", "command": "c", "env": {"A": 1}}),
        json!({"name": "x", "command": "c", "env": "A"}),
        json!({"name": "x", "url": "http://h", "transport": "smoke"}),
        json!({"name": "x", "url": "http://h", "transport": "stdio"}),
        json!({"name": "x", "command": "c", "transport": "sse"}),
    ] {
        assert!(one(&item).is_err(), "{item}");
    }
    assert_eq!(read_set(&json!({"a": 1})), Err(Misshapen::NotAList));
    assert_eq!(read_set(&json!([])), Ok(Vec::new()));
}

#[test]
fn of_two_servers_with_one_name_the_later_counts() {
    let set = json!([{"name": "x", "command": "one"}, {"name": "x", "command": "two"}]);
    let entries = read_set(&set).unwrap();
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].server.command.as_deref(), Some("two"));
}

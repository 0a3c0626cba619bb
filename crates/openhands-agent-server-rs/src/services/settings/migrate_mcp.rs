//! Servers of tools as older versions wrote them, brought into today's shape.

use serde_json::{Map, Value, json};

use crate::services::settings::migrate::is_server_member;

type Object = Map<String, Value>;

/// An address that Linear has given up, and the one that took its place.
const LINEAR_OLD: &str = "https://mcp.linear.app/sse";
const LINEAR_NEW: &str = "https://mcp.linear.app/mcp";

/// Servers by name. Older settings have them below `mcpServers`, with members that are gone.
pub(crate) fn servers(config: Object) -> Object {
    match config.get("mcpServers") {
        Some(Value::Object(_)) => below_key(config),
        _ => map_servers(config, false),
    }
}

fn map_servers(servers: Object, drops_unknown: bool) -> Object {
    servers
        .into_iter()
        .map(|(name, server)| match server {
            Value::Object(server) => (name, Value::Object(server_of(server, drops_unknown))),
            other => (name, other),
        })
        .collect()
}

fn below_key(mut config: Object) -> Object {
    let Some(Value::Object(old)) = config.shift_remove("mcpServers") else {
        return config;
    };
    let text = |server: &Value, member: &str| {
        server
            .get(member)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let mut has_linear = old.values().any(|server| {
        text(server, "url").is_some_and(|url| url.trim_end_matches('/') == LINEAR_NEW)
    });
    let mut servers = Object::new();
    let mut moved = Object::new();
    for (name, server) in map_servers(old, true) {
        let url = text(&server, "url").unwrap_or_default();
        let address = url.split('?').next().unwrap_or_default();
        let is_old = address.trim_end_matches('/') == LINEAR_OLD
            && text(&server, "transport").as_deref() == Some("sse");
        if !is_old {
            servers.insert(name, server);
        } else if !has_linear && let Value::Object(mut server) = server {
            server.insert("url".to_owned(), json!(LINEAR_NEW));
            server.shift_remove("transport");
            let name = free_name(linear_name(name), &servers, &moved);
            moved.insert(name, Value::Object(server));
            has_linear = true;
        }
    }
    servers.append(&mut moved);
    servers
}

/// A name that was made from the transport follows it.
fn linear_name(name: String) -> String {
    let is_made = name == "sse"
        || name
            .strip_prefix("sse_")
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()));
    if is_made { "shttp".to_owned() } else { name }
}

fn free_name(name: String, one: &Object, other: &Object) -> String {
    let is_taken = |name: &str| one.contains_key(name) || other.contains_key(name);
    if !is_taken(&name) {
        return name;
    }
    // One of so many is free.
    (1..=u32::MAX)
        .map(|number| format!("{name}_{number}"))
        .find(|name| !is_taken(name))
        .unwrap_or(name)
}

fn server_of(mut server: Object, drops_unknown: bool) -> Object {
    let authentication = server.shift_remove("authentication");
    let credentials = server.shift_remove("oauth_credentials");
    let api_key = server.shift_remove("api_key");
    match server.get("auth").cloned() {
        Some(Value::Object(auth)) => {
            let auth = with_today_auth(auth, authentication, credentials);
            server.insert("auth".to_owned(), Value::Object(auth));
        }
        Some(Value::String(word)) if word == "oauth" => {
            let mut auth = Object::new();
            auth.insert("strategy".to_owned(), json!("oauth2"));
            let auth = with_today_auth(auth, authentication, credentials);
            server.insert("auth".to_owned(), Value::Object(auth));
        }
        Some(Value::String(token)) if !token.is_empty() => {
            server.insert(
                "auth".to_owned(),
                json!({"strategy": "bearer", "value": token}),
            );
        }
        _ => match api_key {
            Some(Value::String(key)) if !key.is_empty() => {
                server.insert(
                    "auth".to_owned(),
                    json!({"strategy": "api_key", "value": key}),
                );
            }
            _ => auth_from_header(&mut server),
        },
    }
    if let Some(kind) = server.shift_remove("type")
        && !server.contains_key("transport")
    {
        let transport = if kind == "shttp" { json!("http") } else { kind };
        server.insert("transport".to_owned(), transport);
    }
    if drops_unknown {
        server.retain(|member, _| is_server_member(member));
    }
    server
}

/// OAuth with what used to stand beside it.
fn with_today_auth(
    mut auth: Object,
    authentication: Option<Value>,
    credentials: Option<Value>,
) -> Object {
    if auth.get("strategy").and_then(Value::as_str) != Some("oauth2") {
        return auth;
    }
    if let Some(authentication) = authentication
        && !auth.contains_key("authentication")
    {
        auth.insert("authentication".to_owned(), authentication);
    }
    if let Some(Value::Object(authentication)) = auth.get_mut("authentication") {
        authentication
            .entry("type")
            .or_insert_with(|| json!("oauth"));
    }
    let credentials = auth.shift_remove("credentials").or(credentials);
    let mut state = match auth.shift_remove("state") {
        Some(Value::Object(state)) => state,
        _ => Object::new(),
    };
    for (member, value) in oauth_state(credentials) {
        state.entry(member).or_insert(value);
    }
    if !state.is_empty() {
        auth.insert("state".to_owned(), Value::Object(state));
    }
    auth
}

/// What is left of a login, out of the buckets in which it was kept.
fn oauth_state(credentials: Option<Value>) -> Object {
    let mut state = Object::new();
    let Some(Value::Object(buckets)) = credentials else {
        return state;
    };
    if let Some(tokens) = bucket(&buckets, "mcp-oauth-token", "/tokens")
        && tokens.get("access_token").is_some_and(Value::is_string)
    {
        state.insert("tokens".to_owned(), Value::Object(tokens));
    }
    if let Some(client) = bucket(&buckets, "mcp-oauth-client-info", "/client_info") {
        state.insert("client_info".to_owned(), Value::Object(client));
    }
    if let Some(expiry) = bucket(&buckets, "mcp-oauth-token-expiry", "/token_expiry")
        && let Some(at) = expiry.get("expires_at").filter(|at| at.is_number())
    {
        state.insert("token_expires_at".to_owned(), at.clone());
    }
    state
}

/// The entry of a bucket whose key ends like this, or else the first.
fn bucket(buckets: &Object, name: &str, suffix: &str) -> Option<Object> {
    let entries = buckets.get(name)?.as_object()?;
    let value = |entry: &Value| {
        let entry = entry.as_object()?;
        let inner = entry.get("value").and_then(Value::as_object);
        Some(inner.unwrap_or(entry).clone())
    };
    entries
        .iter()
        .find(|(key, entry)| key.ends_with(suffix) && entry.is_object())
        .and_then(|(_, entry)| value(entry))
        .or_else(|| entries.values().find_map(value))
}

/// An `Authorization` header is how a client shows who it is.
fn auth_from_header(server: &mut Object) {
    let Some(Value::Object(headers)) = server.get_mut("headers") else {
        return;
    };
    let found = headers.iter().find_map(|(name, value)| {
        let value = value.as_str().filter(|value| !value.is_empty())?;
        name.eq_ignore_ascii_case("authorization")
            .then(|| (name.clone(), value.to_owned()))
    });
    let Some((name, value)) = found else {
        return;
    };
    headers.shift_remove(&name);
    if headers.is_empty() {
        server.shift_remove("headers");
    }
    let bearer = value
        .split_once(char::is_whitespace)
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let auth = match bearer {
        Some((_, token)) => json!({"strategy": "bearer", "value": token.trim_start()}),
        None => json!({"strategy": "header", "headers": {name: value}}),
    };
    server.insert("auth".to_owned(), auth);
}

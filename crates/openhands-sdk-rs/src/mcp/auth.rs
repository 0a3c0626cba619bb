//! The headers by which a client shows who it is.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use openhands_protocol::mcp::{McpAuth, McpServer};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::config::ConfigError;

/// The headers of a server's settings, and those of its authentication. A secret that is not known here is left out.
///
/// OAuth has none: its token may change with every request.
pub(super) fn headers(server: &McpServer) -> Result<HeaderMap, ConfigError> {
    let mut headers = HeaderMap::new();
    for (name, value) in server.headers.iter().flatten() {
        if let Some(value) = value.expose() {
            insert(&mut headers, name, value)?;
        }
    }
    match &server.auth {
        None | Some(McpAuth::None(_) | McpAuth::Oauth(_)) => {}
        Some(McpAuth::ApiKey(key)) => {
            if let Some(value) = key.value.as_ref().and_then(|value| value.expose()) {
                match key.header_name.as_deref().filter(|name| !name.is_empty()) {
                    Some(name) => insert(&mut headers, name, value)?,
                    None => insert(&mut headers, "authorization", &format!("Bearer {value}"))?,
                }
            }
        }
        Some(McpAuth::Bearer(bearer)) => {
            if let Some(value) = bearer.value.as_ref().and_then(|value| value.expose()) {
                insert(&mut headers, "authorization", &format!("Bearer {value}"))?;
            }
        }
        Some(McpAuth::Basic(basic)) => {
            if let Some(password) = basic.password.as_ref().and_then(|value| value.expose()) {
                insert(
                    &mut headers,
                    "authorization",
                    &basic_value(&basic.username, password),
                )?;
            }
        }
        Some(McpAuth::Header(more)) => {
            for (name, value) in &more.headers {
                if let Some(value) = value.expose() {
                    insert(&mut headers, name, value)?;
                }
            }
        }
        Some(McpAuth::Unknown(raw)) => {
            return Err(ConfigError::Unknown {
                what: "auth.strategy",
                word: raw.kind().to_owned(),
            });
        }
    }
    Ok(headers)
}

/// The value of an `Authorization` header for a name and a password.
pub(super) fn basic_value(name: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{name}:{password}")))
}

fn insert(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), ConfigError> {
    let refused = || ConfigError::Header(name.to_owned());
    let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| refused())?;
    let mut value = HeaderValue::from_str(value).map_err(|_| refused())?;
    value.set_sensitive(true);
    headers.insert(key, value);
    Ok(())
}

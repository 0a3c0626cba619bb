//! Credentials in stored JSON that leaves the server.

use std::path::Path;

use openhands_protocol::STARS;
use serde_json::Value;

/// Members that hold credentials.
const SECRET_MEMBERS: [&str; 5] = [
    "api_key",
    "aws_access_key_id",
    "aws_secret_access_key",
    "aws_session_token",
    "llm_api_key",
];

/// How sealed secrets begin, wherever they are.
const SEALED: &str = "gAAAAA";

/// Whether files of this name are looked through.
pub(super) fn concerns(path: &Path) -> bool {
    is(path, "json") || is(path, "jsonl")
}

fn is(path: &Path, extension: &str) -> bool {
    path.extension()
        .is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// The content with stars in place of credentials. Content without any stays byte for byte as it is, and so does
/// what is not JSON.
pub(super) fn redacted(content: Vec<u8>, path: &Path) -> Vec<u8> {
    if is(path, "jsonl") {
        return lines(content);
    }
    redacted_text(&content).unwrap_or(content)
}

fn lines(content: Vec<u8>) -> Vec<u8> {
    let mut changed = false;
    let mut written = Vec::new();
    for line in content.split_inclusive(|byte| *byte == b'\n') {
        if let Some(text) = redacted_text(line) {
            changed = true;
            written.extend(text);
            written.extend(line.ends_with(b"\n").then_some(b'\n'));
        } else {
            written.extend(line);
        }
    }
    if changed { written } else { content }
}

/// Nothing if there is nothing to replace.
fn redacted_text(json: &[u8]) -> Option<Vec<u8>> {
    let mut value: Value = serde_json::from_slice(json).ok()?;
    redact(&mut value).then(|| value.to_string().into_bytes())
}

/// Whether anything was replaced.
fn redact(value: &mut Value) -> bool {
    match value {
        Value::Object(members) => members.iter_mut().fold(false, |changed, (name, value)| {
            hide(value, SECRET_MEMBERS.contains(&name.as_str())) | changed
        }),
        Value::Array(items) => items
            .iter_mut()
            .fold(false, |changed, item| hide(item, false) | changed),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn hide(value: &mut Value, is_secret: bool) -> bool {
    match value {
        Value::String(text)
            if text.starts_with(SEALED) || is_secret && !text.is_empty() && text != STARS =>
        {
            STARS.clone_into(text);
            true
        }
        other => redact(other),
    }
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;

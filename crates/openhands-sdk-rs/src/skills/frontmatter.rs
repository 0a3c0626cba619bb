//! Front matter: the YAML head of a Markdown file.

use serde_json::{Map, Value};
use serde_saphyr::{DuplicateKeyPolicy, NonFiniteFloatPolicy};

use crate::skills::error::SkillError;

/// No head needs more than this: what does is made to keep the reader busy.
const MAX_HEAD_BYTES: usize = 64 << 10;
/// How many keys, values and lists a head may have, repeated ones included.
const MAX_EVENTS: usize = 10_000;

/// A file in its two parts.
#[derive(Debug, PartialEq)]
pub(crate) struct Document<'a> {
    /// What stands between the fences; nothing if there is no head, or if the head is no mapping.
    pub(crate) head: Map<String, Value>,
    /// The rest, without white space at either end.
    pub(crate) body: &'a str,
}

/// Takes a file apart. A file whose first line is no fence, or whose head is never closed, is all body.
pub(crate) fn split(text: &str) -> Result<Document<'_>, SkillError> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let all_body = Document {
        head: Map::new(),
        body: text,
    };
    let Some((first, after)) = line_off(text) else {
        return Ok(all_body);
    };
    if !is_fence(first) {
        return Ok(all_body);
    }
    let mut read = 0;
    let mut rest = after;
    while let Some((line, next)) = line_off(rest) {
        if is_fence(line) {
            let head = after.get(..read).unwrap_or_default();
            return Ok(Document {
                head: mapping(head)?,
                body: next.trim(),
            });
        }
        read += rest.len() - next.len();
        rest = next;
    }
    Ok(all_body)
}

/// The first line, without its end, and what comes after it.
fn line_off(text: &str) -> Option<(&str, &str)> {
    if text.is_empty() {
        return None;
    }
    Some(text.split_once('\n').unwrap_or((text, "")))
}

/// Three dashes or more, and nothing else.
fn is_fence(line: &str) -> bool {
    let line = line.trim_end();
    line.len() >= 3 && line.bytes().all(|byte| byte == b'-')
}

/// Reads the head. Something that is valid YAML but no mapping says nothing, and is no error.
fn mapping(yaml: &str) -> Result<Map<String, Value>, SkillError> {
    if yaml.len() > MAX_HEAD_BYTES {
        let size = yaml.len();
        return Err(SkillError::FrontMatter(format!(
            "{size} bytes are too many"
        )));
    }
    let options = serde_saphyr::options! {
        with_snippet: false,
        // compat: the last of several wins.
        duplicate_keys: DuplicateKeyPolicy::LastWins,
        budget: serde_saphyr::budget! { max_events: MAX_EVENTS, max_depth: 32 },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MAX_EVENTS },
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
    };
    match serde_saphyr::from_str_with_options::<Value>(yaml, options) {
        Ok(Value::Object(head)) => Ok(head),
        Ok(
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_),
        ) => Ok(Map::new()),
        Err(error) => Err(SkillError::FrontMatter(error.to_string())),
    }
}

#[cfg(test)]
#[path = "frontmatter_tests.rs"]
mod tests;

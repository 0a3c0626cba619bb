//! The YAML head of a Markdown file.

use serde_json::{Map, Value};
use serde_saphyr::{DuplicateKeyPolicy, NonFiniteFloatPolicy};

/// No head needs more than this: what does is made to keep the reader busy.
const MAX_HEAD_BYTES: usize = 64 << 10;
/// How many keys, values and lists a head may have, repeated ones included.
const MAX_EVENTS: usize = 10_000;

/// Takes a file apart: its head, and its body without white space at either end. A file whose first line is no fence, or
/// whose head is never closed, is all body. The error is prose.
pub(super) fn split(text: &str) -> Result<(Map<String, Value>, &str), String> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let Some((first, after)) = text.split_once('\n') else {
        return Ok((Map::new(), text));
    };
    if !is_fence(first) {
        return Ok((Map::new(), text));
    }
    let mut read = 0;
    for line in after.split_inclusive('\n') {
        if is_fence(line) {
            let (head, rest) = after.split_at_checked(read).unwrap_or((after, ""));
            let body = rest.get(line.len()..).unwrap_or_default().trim();
            return Ok((mapping(head)?, body));
        }
        read += line.len();
    }
    Ok((Map::new(), text))
}

/// Three dashes or more, and nothing else.
fn is_fence(line: &str) -> bool {
    let line = line.trim_end();
    line.len() >= 3 && line.bytes().all(|byte| byte == b'-')
}

/// Reads the head. Something that is valid YAML but no mapping says nothing, and is no error.
fn mapping(yaml: &str) -> Result<Map<String, Value>, String> {
    if yaml.len() > MAX_HEAD_BYTES {
        return Err(format!(
            "the front matter has {} bytes, which is too many",
            yaml.len()
        ));
    }
    let options = serde_saphyr::options! {
        with_snippet: false,
        duplicate_keys: DuplicateKeyPolicy::LastWins,
        budget: serde_saphyr::budget! { max_events: MAX_EVENTS, max_depth: 32 },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MAX_EVENTS },
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
    };
    match serde_saphyr::from_str_with_options::<Value>(yaml, options) {
        Ok(Value::Object(head)) => Ok(head),
        Ok(_) => Ok(Map::new()),
        Err(error) => Err(error.to_string()),
    }
}

//! Texts, words and identifiers.

use std::collections::HashMap;
use std::sync::LazyLock;

use openhands_protocol::schema::{Rules, WordsSchema};
use parking_lot::Mutex;
use regex::Regex;
use serde_json::{Value, json};
use uuid::Uuid;

use super::Checker;

/// Expressions by their text. Each comes from a schema, so there are few.
static PATTERNS: LazyLock<Mutex<HashMap<&'static str, Option<Regex>>>> =
    LazyLock::new(Mutex::default);

fn matches(pattern: &'static str, text: &str) -> bool {
    let mut patterns = PATTERNS.lock();
    let regex = patterns
        .entry(pattern)
        .or_insert_with(|| Regex::new(pattern).ok());
    regex.as_ref().is_some_and(|regex| regex.is_match(text))
}

/// `'a', 'b' or 'c'`.
fn listed(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("'{word}'")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

impl Checker {
    pub(super) fn text(&mut self, rules: &Rules, value: &Value) -> Option<Value> {
        let Value::String(text) = value else {
            if let Some(words) = rules.words {
                self.other_word("literal_error", words, value);
            } else {
                self.fail("string_type", "Input should be a valid string", value, None);
            }
            return None;
        };
        let chars = || text.chars().count();
        let plural = |bound: usize| {
            if bound == 1 {
                "character"
            } else {
                "characters"
            }
        };
        if let Some(least) = rules.min_length.filter(|least| chars() < *least) {
            let msg = format!("String should have at least {least} {}", plural(least));
            self.fail(
                "string_too_short",
                msg,
                value,
                Some(json!({"min_length": least})),
            );
        } else if let Some(most) = rules.max_length.filter(|most| chars() > *most) {
            let msg = format!("String should have at most {most} {}", plural(most));
            self.fail(
                "string_too_long",
                msg,
                value,
                Some(json!({"max_length": most})),
            );
        } else if let Some(pattern) = rules.pattern.filter(|pattern| !matches(pattern, text)) {
            let msg = format!("String should match pattern '{pattern}'");
            self.fail(
                "string_pattern_mismatch",
                msg,
                value,
                Some(json!({"pattern": pattern})),
            );
        } else if let Some(words) = rules.words.filter(|words| !words.contains(&text.as_str())) {
            self.other_word("literal_error", words, value);
        }
        None
    }

    pub(super) fn secret(&mut self, rules: &Rules, value: &Value) -> Option<Value> {
        match value.as_str() {
            None => self.fail("string_type", "Input should be a valid string", value, None),
            // A secret has no characters that could be counted, only items.
            Some(text) => {
                let chars = text.chars().count();
                if rules.min_length.is_some_and(|least| chars < least) {
                    self.length("too_short", "Value", rules.min_length, chars, value);
                }
            }
        }
        None
    }

    pub(super) fn words(&mut self, words: &WordsSchema, value: &Value) -> Option<Value> {
        let kind = if words.is_class() {
            "enum"
        } else {
            "literal_error"
        };
        if !value.as_str().is_some_and(|word| words.has(word)) {
            self.other_word(kind, words.words, value);
        }
        None
    }

    pub(super) fn other_word(&mut self, kind: &str, words: &[&str], value: &Value) {
        let expected = listed(words);
        let msg = format!("Input should be {expected}");
        self.fail(kind, msg, value, Some(json!({"expected": expected})));
    }

    pub(super) fn uuid(&mut self, value: &Value) -> Option<Value> {
        let Some(text) = value.as_str() else {
            let msg = "UUID input should be a string, bytes or UUID object";
            self.fail("uuid_type", msg, value, None);
            return None;
        };
        match Uuid::parse_str(text) {
            Ok(_) => {}
            Err(error) => {
                let error = error.to_string();
                let msg = format!("Input should be a valid UUID, {error}");
                self.fail("uuid_parsing", msg, value, Some(json!({"error": error})));
            }
        }
        None
    }
}

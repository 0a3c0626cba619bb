//! Values as Python prints them: some messages that clients know show values that way.

use regex::Regex;
use serde_json::{Map, Value};
use std::fmt::Write as _;
use std::sync::LazyLock;

/// `{'a': 1, 'b': [True, None]}`
pub fn object(members: &Map<String, Value>) -> String {
    let members: Vec<String> = members
        .iter()
        .map(|(name, value)| format!("{}: {}", text(name), self::value(value)))
        .collect();
    format!("{{{}}}", members.join(", "))
}

/// A value inside another.
pub fn value(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(string) => text(string),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(self::value).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) => object(members),
    }
}

/// A string in quotes: double ones only when it holds single ones and no double ones.
pub fn text(string: &str) -> String {
    let quote = if string.contains('\'') && !string.contains('"') {
        '"'
    } else {
        '\''
    };
    let mut printed = String::with_capacity(string.len() + 2);
    printed.push(quote);
    for character in string.chars() {
        match character {
            '\\' => printed.push_str("\\\\"),
            '\n' => printed.push_str("\\n"),
            '\r' => printed.push_str("\\r"),
            '\t' => printed.push_str("\\t"),
            character if character == quote => printed.extend(['\\', quote]),
            shown if is_printable(shown) => printed.push(shown),
            hidden => {
                let code = u32::from(hidden);
                let _ = match code {
                    ..0x100 => write!(printed, "\\x{code:02x}"),
                    0x100..0x1_0000 => write!(printed, "\\u{code:04x}"),
                    0x1_0000.. => write!(printed, "\\U{code:08x}"),
                };
            }
        }
    }
    printed.push(quote);
    printed
}

/// Not a control character, a blank beyond the plain one, an invisible mark, or a code without a character.
fn is_printable(character: char) -> bool {
    static HIDDEN: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"[\p{C}\p{Z}--\x20]").ok());
    if character.is_ascii() {
        return !character.is_ascii_control();
    }
    let mut buffer = [0; 4];
    let text = character.encode_utf8(&mut buffer);
    HIDDEN.as_ref().is_none_or(|hidden| !hidden.is_match(text))
}

#[cfg(test)]
#[path = "python_repr_tests.rs"]
mod tests;

//! Values as Python prints them: some messages that clients know show values that way.

use serde_json::{Map, Value};
use std::fmt::Write as _;

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
fn text(string: &str) -> String {
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
            control if control.is_control() => {
                let _ = write!(printed, "\\x{:02x}", u32::from(control));
            }
            other => printed.push(other),
        }
    }
    printed.push(quote);
    printed
}

#[cfg(test)]
#[path = "python_repr_tests.rs"]
mod tests;

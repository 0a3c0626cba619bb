//! Readers of single values: what counts as a string, a flag, a number, a list.

use super::{Arguments, Loc, Read, Refused, refuse};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::num::IntErrorKind;

/// A string.
pub fn text(value: &Value) -> Read<String> {
    value.as_str().map_or_else(
        || refuse("string_type", "Input should be a valid string"),
        |text| Ok(text.to_owned()),
    )
}

/// A flag: a boolean, 0 or 1, or one of the usual words.
pub fn flag(value: &Value) -> Read<bool> {
    let parsed = match value {
        Value::Bool(flag) => Some(*flag),
        Value::Number(number) => match number.as_f64() {
            Some(0.0) => Some(false),
            Some(1.0) => Some(true),
            // compat: a number that is no whole one of 64 bits is not even a candidate.
            _ if number.as_i64().is_none() && !number.as_f64().is_some_and(is_small_and_whole) => {
                return refuse("bool_type", "Input should be a valid boolean");
            }
            _ => None,
        },
        Value::String(word) => match word.to_lowercase().as_str() {
            "0" | "off" | "f" | "false" | "n" | "no" => Some(false),
            "1" | "on" | "t" | "true" | "y" | "yes" => Some(true),
            _ => None,
        },
        Value::Null | Value::Array(_) | Value::Object(_) => {
            return refuse("bool_type", "Input should be a valid boolean");
        }
    };
    parsed.map_or_else(
        || {
            refuse(
                "bool_parsing",
                "Input should be a valid boolean, unable to interpret input",
            )
        },
        Ok,
    )
}

/// A whole number; `3.0` and `"3"` count. One beyond 64 bits counts as the nearest that fits: no file has as many lines.
pub fn integer(value: &Value) -> Read<i64> {
    match value {
        Value::Number(number) if number.is_u64() => Ok(number.as_i64().unwrap_or(i64::MAX)),
        Value::Number(number) => number
            .as_i64()
            .map_or_else(|| number.as_f64().map_or_else(not_an_integer, whole), Ok),
        Value::Bool(flag) => Ok(i64::from(*flag)),
        Value::String(digits) => whole_in_text(digits).map_or_else(
            || {
                refuse(
                    "int_parsing",
                    "Input should be a valid integer, unable to parse string as an integer",
                )
            },
            Ok,
        ),
        Value::Null | Value::Array(_) | Value::Object(_) => not_an_integer(),
    }
}

/// `"12"`, `" +12 "`, `"12.0"`, `"1_000"`.
fn whole_in_text(text: &str) -> Option<i64> {
    let trimmed = text.trim();
    let whole_part = trimmed
        .split_once('.')
        .filter(|(_, zeros)| !zeros.is_empty() && zeros.chars().all(|digit| digit == '0'))
        .map_or(trimmed, |(whole_part, _)| whole_part);
    let digits = without_separators(whole_part)?;
    match digits.parse::<i64>() {
        Ok(number) => Some(number),
        Err(problem) => match problem.kind() {
            IntErrorKind::PosOverflow => Some(i64::MAX),
            IntErrorKind::NegOverflow => Some(i64::MIN),
            _ => None,
        },
    }
}

/// The text without the underscores between its digits; `None` if one stands anywhere else.
fn without_separators(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('_') {
        return Some(Cow::Borrowed(text));
    }
    let bytes = text.as_bytes();
    let is_digit = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(u8::is_ascii_digit)
    };
    text.match_indices('_')
        .all(|(at, _)| is_digit(at.checked_sub(1)) && is_digit(at.checked_add(1)))
        .then(|| Cow::Owned(text.replace('_', "")))
}

fn not_an_integer<T>() -> Read<T> {
    refuse("int_type", "Input should be a valid integer")
}

/// 2^63: the first float outside the range of `i64`.
const LIMIT: f64 = 9_223_372_036_854_775_808.0;

fn is_small_and_whole(number: f64) -> bool {
    number.fract() == 0.0 && (-LIMIT..LIMIT).contains(&number)
}

fn whole(number: f64) -> Read<i64> {
    if number.fract() != 0.0 {
        return refuse(
            "int_from_float",
            "Input should be a valid integer, got a number with a fractional part",
        );
    }
    if !is_small_and_whole(number) {
        return refuse(
            "int_parsing_size",
            "Unable to parse input string as an integer, exceeded maximum size",
        );
    }
    #[allow(clippy::cast_possible_truncation)] // the range was checked above
    Ok(number as i64)
}

/// A number; a string that holds one counts.
pub fn number(value: &Value) -> Read<f64> {
    match value {
        Value::Number(number) => number.as_f64().map_or_else(not_a_number, Ok),
        Value::Bool(flag) => Ok(f64::from(u8::from(*flag))),
        Value::String(digits) => without_separators(digits.trim())
            .and_then(|digits| digits.parse().ok())
            .map_or_else(
                || {
                    refuse(
                        "float_parsing",
                        "Input should be a valid number, unable to parse string as a number",
                    )
                },
                Ok,
            ),
        Value::Null | Value::Array(_) | Value::Object(_) => not_a_number(),
    }
}

fn not_a_number<T>() -> Read<T> {
    refuse("float_type", "Input should be a valid number")
}

/// A whole number that is not below `least`.
pub fn integer_at_least(least: i64) -> impl Fn(&Value) -> Read<i64> {
    move |value| {
        let number = integer(value)?;
        if number < least {
            return too_small(least);
        }
        Ok(number)
    }
}

/// A number that is not below `least`.
pub fn number_at_least(least: i32) -> impl Fn(&Value) -> Read<f64> {
    move |value| {
        let read = number(value)?;
        // NaN is neither above nor below, and refused.
        if read.is_nan() || read < f64::from(least) {
            return too_small(least);
        }
        Ok(read)
    }
}

fn too_small<T>(least: impl fmt::Display) -> Read<T> {
    refuse(
        "greater_than_equal",
        format!("Input should be greater than or equal to {least}"),
    )
}

/// One of a closed set of words.
pub fn one_of(words: &'static [&'static str]) -> impl Fn(&Value) -> Read<String> {
    move |value| match value.as_str() {
        Some(word) if words.contains(&word) => Ok(word.to_owned()),
        _ => refuse(
            "literal_error",
            format!("Input should be {}", listed(words)),
        ),
    }
}

/// `'a', 'b' or 'c'`.
fn listed(words: &[&str]) -> String {
    let mut text = String::new();
    for (position, word) in words.iter().enumerate() {
        if position > 0 {
            text.push_str(if position + 1 == words.len() {
                " or "
            } else {
                ", "
            });
        }
        text.push('\'');
        text.push_str(word);
        text.push('\'');
    }
    text
}

/// A list whose items are read by `item`.
pub fn list<T>(item: impl Fn(&Value) -> Read<T>) -> impl Fn(&Value) -> Read<Vec<T>> {
    move |value| {
        let Value::Array(values) = value else {
            return refuse("list_type", "Input should be a valid list");
        };
        let mut items = Vec::with_capacity(values.len());
        let mut problems = Vec::new();
        for (index, value) in values.iter().enumerate() {
            match item(value) {
                Ok(read) => items.push(read),
                Err(found) => problems.extend(found.into_iter().map(|mut problem| {
                    problem.below.insert(0, Loc::Index(index));
                    problem
                })),
            }
        }
        if problems.is_empty() {
            Ok(items)
        } else {
            Err(problems)
        }
    }
}

/// A nested object, read by `fields` with an [`Arguments`] of its own; its unknown fields are ignored.
pub fn object<T>(fields: impl Fn(&mut Arguments<'_>) -> T) -> impl Fn(&Value) -> Read<T> {
    move |value| {
        let Value::Object(given) = value else {
            return refuse("model_type", "Input should be a valid dictionary or object");
        };
        let mut arguments = Arguments::new(given);
        let read = fields(&mut arguments);
        match arguments.finish_lenient() {
            Ok(()) => Ok(read),
            Err(invalid) => Err(invalid
                .errors
                .into_iter()
                .map(|error| Refused {
                    kind: error.kind,
                    message: error.message,
                    below: error.loc,
                })
                .collect()),
        }
    }
}

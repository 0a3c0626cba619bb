//! Validation of a tool call's arguments: typed reads that collect every problem at once.
//!
//! Models send numbers as strings and flags as `"true"`; the rules of what is taken and what is refused, and
//! the error types, are those of the reference's lax validation, so that clients see the same reports.

use serde_json::{Map, Value};
use std::fmt;

/// One step on the way to a bad value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loc {
    /// An object's key.
    Field(String),
    /// A list's index.
    Index(usize),
}

impl From<&str> for Loc {
    fn from(name: &str) -> Self {
        Self::Field(name.to_owned())
    }
}

impl fmt::Display for Loc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => f.write_str(name),
            Self::Index(index) => write!(f, "{index}"),
        }
    }
}

/// One problem with one argument.
#[derive(Debug, Clone, PartialEq)]
pub struct ArgumentError {
    /// Where the value stands, from the outermost field inward.
    pub loc: Vec<Loc>,
    /// Machine-readable type, such as `missing` or `literal_error`.
    pub kind: &'static str,
    /// What is wrong, in words for the model.
    pub message: String,
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.loc.iter().enumerate() {
            if position > 0 {
                f.write_str(".")?;
            }
            write!(f, "{step}")?;
        }
        write!(f, ": {} ({})", self.message, self.kind)
    }
}

/// The arguments of a call do not fit its tool's schema.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub struct InvalidArguments {
    /// Every problem found, in the order of the schema's fields.
    pub errors: Vec<ArgumentError>,
}

impl fmt::Display for InvalidArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, error) in self.errors.iter().enumerate() {
            if position > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

/// A reading problem before it has a place: its type and words.
#[derive(Debug)]
pub struct Refused {
    kind: &'static str,
    message: String,
    /// Steps below the field that was read, for lists and nested objects.
    below: Vec<Loc>,
}

impl Refused {
    /// A problem with the value itself.
    pub fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            below: Vec::new(),
        }
    }
}

/// What reading one value gives: the value, or every problem found in it.
pub type Read<T> = Result<T, Vec<Refused>>;

fn refuse<T>(kind: &'static str, message: impl Into<String>) -> Read<T> {
    Err(vec![Refused::new(kind, message)])
}

/// Reads the fields of one arguments object and remembers every problem.
///
/// Readers return a default value after a problem, so that all fields are looked at; [`Arguments::finish`]
/// then refuses the whole.
#[derive(Debug)]
pub struct Arguments<'a> {
    given: &'a Map<String, Value>,
    known: Vec<&'static str>,
    errors: Vec<ArgumentError>,
}

impl<'a> Arguments<'a> {
    /// Starts reading `given`.
    pub fn new(given: &'a Map<String, Value>) -> Self {
        Self {
            given,
            known: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// A field that must be there.
    pub fn required<T: Default>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&Value) -> Read<T>,
    ) -> T {
        self.known.push(name);
        match self.given.get(name) {
            Some(value) => self.take(name, read(value)),
            None => self.take(name, refuse("missing", "Field required")),
        }
    }

    /// A field that may be absent or null.
    pub fn optional<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&Value) -> Read<T>,
    ) -> Option<T> {
        self.known.push(name);
        match self.given.get(name) {
            Some(Value::Null) | None => None,
            Some(value) => self.take(name, read(value).map(Some)),
        }
    }

    /// A field that may be absent, and then has `default`.
    pub fn or<T: Default>(
        &mut self,
        name: &'static str,
        default: T,
        read: impl FnOnce(&Value) -> Read<T>,
    ) -> T {
        self.known.push(name);
        match self.given.get(name) {
            Some(value) => self.take(name, read(value)),
            None => default,
        }
    }

    fn take<T: Default>(&mut self, name: &str, read: Read<T>) -> T {
        match read {
            Ok(value) => value,
            Err(problems) => {
                self.errors.extend(problems.into_iter().map(|problem| {
                    let mut loc = vec![Loc::from(name)];
                    loc.extend(problem.below);
                    ArgumentError {
                        loc,
                        kind: problem.kind,
                        message: problem.message,
                    }
                }));
                T::default()
            }
        }
    }

    /// Ends the reading: fields nobody asked for are problems too.
    pub fn finish(mut self) -> Result<(), InvalidArguments> {
        for name in self.given.keys() {
            if !self.known.contains(&name.as_str()) {
                self.errors.push(ArgumentError {
                    loc: vec![Loc::from(name.as_str())],
                    kind: "extra_forbidden",
                    message: "Extra inputs are not permitted".to_owned(),
                });
            }
        }
        self.finish_lenient()
    }

    /// Ends the reading of an object whose unknown fields are ignored.
    pub fn finish_lenient(self) -> Result<(), InvalidArguments> {
        if self.errors.is_empty() {
            Ok(())
        } else {
            Err(InvalidArguments {
                errors: self.errors,
            })
        }
    }
}

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

/// A whole number; `3.0` and `"3"` count.
pub fn integer(value: &Value) -> Read<i64> {
    match value {
        Value::Number(number) => number
            .as_i64()
            .map_or_else(|| number.as_f64().map_or_else(not_an_integer, whole), Ok),
        Value::Bool(flag) => Ok(i64::from(*flag)),
        Value::String(digits) => {
            let trimmed = digits.trim();
            let whole_part = trimmed
                .split_once('.')
                .filter(|(_, zeros)| !zeros.is_empty() && zeros.chars().all(|digit| digit == '0'))
                .map_or(trimmed, |(whole_part, _)| whole_part);
            whole_part.replace('_', "").parse().or_else(|_| {
                refuse(
                    "int_parsing",
                    "Input should be a valid integer, unable to parse string as an integer",
                )
            })
        }
        Value::Null | Value::Array(_) | Value::Object(_) => not_an_integer(),
    }
}

fn not_an_integer<T>() -> Read<T> {
    refuse("int_type", "Input should be a valid integer")
}

fn whole(number: f64) -> Read<i64> {
    /// 2^63: the first float outside the range of `i64`.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if number.fract() != 0.0 {
        return refuse(
            "int_from_float",
            "Input should be a valid integer, got a number with a fractional part",
        );
    }
    if !(-LIMIT..LIMIT).contains(&number) {
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
        Value::String(digits) => digits.trim().parse().or_else(|_| {
            refuse(
                "float_parsing",
                "Input should be a valid number, unable to parse string as a number",
            )
        }),
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

#[cfg(test)]
#[path = "arguments_tests.rs"]
mod tests;

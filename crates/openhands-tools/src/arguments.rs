//! Validation of a tool call's arguments: typed reads that collect every problem at once.
//!
//! Models send numbers as strings and flags as `"true"`; the rules of what is taken and what is refused, and
//! the error types, are those of the reference's lax validation, so that clients see the same reports.

mod readers;

pub use readers::{
    flag, integer, integer_at_least, list, number, number_at_least, object, one_of, text,
};

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

#[cfg(test)]
#[path = "arguments_tests.rs"]
mod tests;

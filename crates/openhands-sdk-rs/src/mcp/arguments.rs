//! The arguments of a server's tool, checked against its schema.
//!
//! compat: only the types of the outermost fields count, with the lax rules of the reference: numbers in strings are
//! numbers, a field that the schema does not list is refused, nulls are dropped.

use openhands_tools::arguments::{
    ArgumentError, Arguments, InvalidArguments, Loc, Read, Refused, flag, integer, list, number,
    text,
};
use serde_json::{Map, Number, Value};

/// What a field takes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Type {
    Text,
    Integer,
    Number,
    Flag,
    Object,
    List(Box<Type>),
    Anything,
}

/// One field.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Field {
    name: String,
    takes: Type,
    required: bool,
}

/// The fields of a tool, in the order of its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fields(Vec<Field>);

impl Fields {
    pub(super) fn new(schema: &Map<String, Value>) -> Self {
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let properties = schema.get("properties").and_then(Value::as_object);
        Self(
            properties
                .into_iter()
                .flatten()
                .map(|(name, property)| Field {
                    name: name.clone(),
                    takes: Type::of(property),
                    required: required.contains(&name.as_str()),
                })
                .collect(),
        )
    }

    /// The arguments as the server gets them, or every problem with them.
    pub(super) fn check(
        &self,
        given: &Map<String, Value>,
    ) -> Result<Map<String, Value>, InvalidArguments> {
        let mut taken = Map::new();
        let mut errors = Vec::new();
        for field in &self.0 {
            match given.get(&field.name).filter(|value| !value.is_null()) {
                Some(value) => match field.read(value) {
                    Ok(value) => {
                        taken.insert(field.name.clone(), value);
                    }
                    Err(problems) => errors.extend(problems),
                },
                None if field.required => {
                    errors.push(problem(&field.name, "missing", "Field required"));
                }
                None => {}
            }
        }
        for (name, value) in given {
            if !value.is_null() && !self.0.iter().any(|field| field.name == *name) {
                errors.push(problem(
                    name,
                    "extra_forbidden",
                    "Extra inputs are not permitted",
                ));
            }
        }
        if errors.is_empty() {
            Ok(taken)
        } else {
            Err(InvalidArguments { errors })
        }
    }
}

impl Field {
    fn read(&self, value: &Value) -> Result<Value, Vec<ArgumentError>> {
        // The readers report under names that are known when they are compiled; the real one is put in place after.
        const HERE: &str = "value";
        let wrapped = Map::from_iter([(HERE.to_owned(), value.clone())]);
        let mut arguments = Arguments::new(&wrapped);
        let read = arguments.required(HERE, |value| self.takes.read(value));
        match arguments.finish_lenient() {
            Ok(()) => Ok(read),
            Err(mut invalid) => {
                for error in &mut invalid.errors {
                    if let Some(first) = error.loc.first_mut() {
                        *first = Loc::from(self.name.as_str());
                    }
                }
                Err(invalid.errors)
            }
        }
    }
}

impl Type {
    fn of(schema: &Value) -> Self {
        let name = match schema.get("type") {
            Some(Value::String(name)) => Some(name.as_str()),
            Some(Value::Array(names)) => {
                // Of a choice that is really "this or null", this.
                let mut names = names.iter().filter(|name| *name != "null");
                match (names.next(), names.next()) {
                    (Some(name), None) => name.as_str(),
                    _ => None,
                }
            }
            _ => None,
        };
        match name {
            Some("string") => Self::Text,
            Some("integer") => Self::Integer,
            Some("number") => Self::Number,
            Some("boolean") => Self::Flag,
            Some("object") => Self::Object,
            Some("array") => Self::List(Box::new(
                schema.get("items").map_or(Self::Anything, Self::of),
            )),
            _ => Self::Anything,
        }
    }

    fn read(&self, value: &Value) -> Read<Value> {
        match self {
            Self::Anything => Ok(value.clone()),
            Self::Text => text(value).map(Value::from),
            Self::Flag => flag(value).map(Value::from),
            // One that needs more than 64 bits stays as it is.
            Self::Integer => integer(value).map(|whole| match value {
                Value::Number(given) if !given.is_f64() => Value::Number(given.clone()),
                _ => Value::from(whole),
            }),
            Self::Number => number(value).map(|number| {
                Number::from_f64(number).map_or_else(|| value.clone(), Value::Number)
            }),
            Self::Object => match value {
                Value::Object(_) => Ok(value.clone()),
                _ => Err(vec![Refused::new(
                    "dict_type",
                    "Input should be a valid dictionary",
                )]),
            },
            Self::List(item) => list(|value| item.read(value))(value).map(Value::Array),
        }
    }
}

fn problem(name: &str, kind: &'static str, message: &str) -> ArgumentError {
    ArgumentError {
        loc: vec![Loc::from(name)],
        kind,
        message: message.to_owned(),
    }
}

#[cfg(test)]
#[path = "arguments_tests.rs"]
mod tests;

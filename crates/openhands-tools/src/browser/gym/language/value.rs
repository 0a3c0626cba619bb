//! Values that an action is called with, as Python has them.

use crate::python_repr;

/// A literal of the action language.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    None,
    Bool(bool),
    /// A whole number of any size, in its shortest decimal form.
    Int(String),
    Float(f64),
    Str(String),
    List(Vec<Literal>),
    Tuple(Vec<Literal>),
    Dict(Vec<(String, Literal)>),
}

impl Literal {
    /// As Python prints it.
    pub fn repr(&self) -> String {
        match self {
            Self::None => "None".to_owned(),
            Self::Bool(true) => "True".to_owned(),
            Self::Bool(false) => "False".to_owned(),
            Self::Int(digits) => digits.clone(),
            Self::Float(number) => float(*number),
            Self::Str(text) => string(text),
            Self::List(items) => format!("[{}]", joined(items)),
            Self::Tuple(items) => match items.as_slice() {
                [one] => format!("({},)", one.repr()),
                items => format!("({})", joined(items)),
            },
            Self::Dict(members) => {
                let members: Vec<String> = members
                    .iter()
                    .map(|(name, value)| format!("{}: {}", string(name), value.repr()))
                    .collect();
                format!("{{{}}}", members.join(", "))
            }
        }
    }

    /// What messages of the browser's driver call its kind: the names are those of JavaScript.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::None => "undefined",
            Self::Bool(_) => "boolean",
            Self::Int(_) | Self::Float(_) => "number",
            Self::Str(_) => "string",
            Self::List(_) | Self::Tuple(_) | Self::Dict(_) => "object",
        }
    }

    /// What Python calls its type.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::None => "NoneType",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float",
            Self::Str(_) => "str",
            Self::List(_) => "list",
            Self::Tuple(_) => "tuple",
            Self::Dict(_) => "dict",
        }
    }

    /// The number, if it is one.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Int(digits) => digits.parse().ok(),
            Self::Float(number) => Some(*number),
            Self::None
            | Self::Bool(_)
            | Self::Str(_)
            | Self::List(_)
            | Self::Tuple(_)
            | Self::Dict(_) => None,
        }
    }

    /// Whether there is a number in it that no Python code can name.
    pub(super) fn is_beyond_floats(&self) -> bool {
        match self {
            Self::Float(number) => number.is_infinite(),
            Self::List(items) | Self::Tuple(items) => items.iter().any(Self::is_beyond_floats),
            Self::Dict(members) => members.iter().any(|(_, value)| value.is_beyond_floats()),
            Self::None | Self::Bool(_) | Self::Int(_) | Self::Str(_) => false,
        }
    }
}

fn joined(items: &[Literal]) -> String {
    let items: Vec<String> = items.iter().map(Literal::repr).collect();
    items.join(", ")
}

fn string(text: &str) -> String {
    python_repr::value(&text.into())
}

/// The shortest form that reads back as the same number, with an exponent where Python has one.
fn float(number: f64) -> String {
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let size = number.abs();
    if size != 0.0 && !(1e-4..1e16).contains(&size) {
        let printed = format!("{number:e}");
        let (digits, exponent) = printed.split_once('e').unwrap_or((&printed, "0"));
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(exponent) => ('-', exponent),
            None => ('+', exponent),
        };
        return format!("{digits}e{sign}{exponent:0>2}");
    }
    format!("{number:?}")
}

#[cfg(test)]
#[path = "value_tests.rs"]
mod tests;

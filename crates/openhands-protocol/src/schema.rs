//! What types look like on the wire, as data: to check requests with, and to describe the API from.
//!
//! `wire!`, `union!` and `words!` describe what they declare; the other types are described in `schema/`.
//! A schema refers to others by function, so that types may contain themselves and nothing is built ahead.

mod lax;
mod names;
mod rules;
mod types;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::writer::Form;

pub use lax::{Misread, lax_bool, lax_float, lax_int};
pub use rules::Rules;

/// A type that says what it looks like on the wire.
pub trait Described {
    /// Its schema.
    fn schema() -> &'static Schema;
}

/// A reference to a schema.
pub type SchemaOf = fn() -> &'static Schema;

/// What a value looks like.
#[derive(Debug)]
pub enum Schema {
    /// Any JSON value.
    Any,
    /// True or false.
    Boolean,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A text.
    Text,
    /// A text that must not leak.
    Secret,
    /// A uuid, dashed or not.
    Uuid,
    /// A point in time.
    Time,
    /// A value, or null.
    Nullable(SchemaOf),
    /// Values of one sort.
    List(SchemaOf),
    /// As many values as are named here.
    Tuple(&'static [SchemaOf]),
    /// Values of one sort, by name.
    Map(SchemaOf),
    /// One of several words.
    Words(&'static WordsSchema),
    /// Known members.
    Object(&'static ObjectSchema),
    /// Objects told apart by a tag.
    Union(&'static UnionSchema),
    /// Values told apart by trying.
    OneOf(&'static [Branch]),
    /// A text that stands for the value, or the value. Errors speak of the value only.
    TextOr(SchemaOf),
}

/// One way to read a value that has several.
#[derive(Debug, Clone, Copy)]
pub struct Branch {
    /// How an error says which way was tried.
    pub label: &'static str,
    /// What is expected.
    pub schema: SchemaOf,
}

/// An enum of fixed words.
#[derive(Debug)]
pub struct WordsSchema {
    /// Name of the type.
    pub name: &'static str,
    /// What it is about.
    pub docs: &'static [&'static str],
    /// The words, in order.
    pub words: &'static [&'static str],
    /// Brings other spellings into form.
    pub normal: Option<fn(&str) -> String>,
}

/// An object with known members.
#[derive(Debug)]
pub struct ObjectSchema {
    /// Name of the type.
    pub name: &'static str,
    /// What it is about.
    pub docs: &'static [&'static str],
    /// Members that come before the fields: those of every event.
    pub header: &'static [Field],
    /// The known members, in order.
    pub fields: &'static [Field],
    /// The member that says which one of a union it is, and its value.
    pub tag: Option<(&'static str, &'static str)>,
    /// Whether other members are an error in a request.
    pub closed: bool,
    /// Whether the members are parameters of a route rather than an object of their own: one that is
    /// missing is reported without the object.
    pub embedded: bool,
    /// A rule over the members as they were sent, checked first.
    pub before: Option<Rule<Map<String, Value>>>,
    /// A rule over the members, checked when all of them are right.
    pub after: Option<Rule<Map<String, Value>>>,
}

/// A rule that no type can express. The error is a sentence for the client.
pub type Rule<T> = fn(&T) -> Result<(), String>;

/// A member of an object.
#[derive(Debug)]
pub struct Field {
    /// Name on the wire.
    pub name: &'static str,
    /// A second name.
    pub alias: Option<&'static str>,
    /// What it is about.
    pub docs: &'static [&'static str],
    /// What it looks like.
    pub schema: SchemaOf,
    /// Its value when it is missing; none if it is required.
    pub default: Option<fn() -> Value>,
    /// Limits.
    pub rules: Option<&'static Rules>,
}

/// Objects told apart by a tag.
#[derive(Debug)]
pub struct UnionSchema {
    /// Name of the type.
    pub name: &'static str,
    /// What it is about.
    pub docs: &'static [&'static str],
    /// The member that tells them apart.
    pub tag: &'static str,
    /// The known kinds, in order; each is an object with that tag.
    pub variants: &'static [SchemaOf],
    /// The kind of an object without the tag.
    pub default: Option<DefaultKind>,
    /// How a tag may begin whose body is free-form.
    pub prefix: Option<&'static str>,
    /// How errors tell the kinds apart.
    pub telling: Telling,
}

/// Finds the kind of an object that does not name it.
pub type DefaultKind = fn(&Map<String, Value>) -> Option<&'static str>;

/// How the reference tells the kinds of a union apart. Only the errors differ.
#[derive(Debug, Clone, Copy)]
pub enum Telling {
    /// By the tag, after which the kind is part of an error's place.
    Tag {
        /// How an error names the way in which the tag is found.
        found_using: &'static str,
    },
    /// By the name of a class.
    Class {
        /// Full name of the base class.
        path: &'static str,
        /// The kind of an object without the tag.
        default: Option<DefaultKind>,
    },
    /// By trying one after the other.
    Trying,
}

impl Schema {
    /// The value inside, if null is allowed too.
    pub fn inner(&'static self) -> &'static Self {
        match self {
            Self::Nullable(inner) => inner().inner(),
            Self::Any
            | Self::Boolean
            | Self::Integer
            | Self::Number
            | Self::Text
            | Self::Secret
            | Self::Uuid
            | Self::Time
            | Self::List(_)
            | Self::Tuple(_)
            | Self::Map(_)
            | Self::Words(_)
            | Self::Object(_)
            | Self::Union(_)
            | Self::OneOf(_)
            | Self::TextOr(_) => self,
        }
    }
}

impl ObjectSchema {
    /// All known members.
    pub fn members(&self) -> impl Iterator<Item = &'static Field> {
        self.header.iter().chain(self.fields)
    }

    /// Name of the type in the reference.
    pub fn reference_name(&self) -> String {
        names::in_reference(self.name)
    }
}

impl WordsSchema {
    /// Name of the type in the reference.
    pub fn reference_name(&self) -> String {
        names::in_reference(self.name)
    }

    /// Whether it is a type of its own in the reference, and not a list of words: errors name it otherwise.
    pub fn is_class(&self) -> bool {
        names::is_class(self.name)
    }

    /// Whether it has this word, perhaps in another spelling.
    pub fn has(&self, word: &str) -> bool {
        match self.normal {
            Some(normal) => self.words.contains(&normal(word).as_str()),
            None => self.words.contains(&word),
        }
    }
}

impl UnionSchema {
    /// Name of the type in the reference.
    pub fn reference_name(&self) -> String {
        names::in_reference(self.name)
    }

    /// The kinds with their schemas.
    pub fn kinds(&self) -> impl Iterator<Item = (&'static str, &'static ObjectSchema)> {
        self.variants.iter().filter_map(|variant| match variant() {
            Schema::Object(object) => object.tag.map(|(_, kind)| (kind, *object)),
            _ => None,
        })
    }
}

impl Field {
    /// What it looks like; a rule may say it more exactly than the type.
    pub fn shape(&self) -> &'static Schema {
        let own = self.rules.and_then(|rules| rules.schema);
        own.unwrap_or(self.schema)()
    }

    /// Whether it must be there.
    pub fn is_required(&self) -> bool {
        self.default.is_none()
    }
}

/// The JSON of a default.
pub(crate) fn json<T: Serialize>(value: T) -> Value {
    Form::PEER.to_value(&value).unwrap_or(Value::Null)
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;

//! Reading from a JSON tree: used up or borrowed, to the letter or with numbers given as text.
//!
//! All reads from a tree go through this one deserializer, and not through those of `serde_json` for
//! owned, borrowed and map values: each of them would make the compiler build every type once more.

use serde::de::{
    DeserializeOwned, DeserializeSeed, Error as _, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, Visitor,
};
use serde::{Deserializer, forward_to_deserialize_any};
use serde_json::{Error, Map, Value, map};

use crate::reader;

/// A place in a JSON tree that is being read.
///
/// When it is coercing it takes `"2"` and `2.0` for `2`, `"1.5"` for `1.5`, and `"true"`, `"yes"` or `1` for
/// `true`, where the type wants that. Text stays text where the type wants text.
pub(crate) struct Tree<'de> {
    node: Node<'de>,
    coercing: bool,
}

enum Node<'de> {
    Owned(Value),
    Borrowed(&'de Value),
    Members(&'de Map<String, Value>),
}

/// Reads a type from a tree, using the tree up.
pub(crate) fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    T::deserialize(Tree::new(Node::Owned(value)))
}

/// Reads a type from the members of an object, leaving them as they are.
pub(crate) fn from_members<T: DeserializeOwned>(members: &Map<String, Value>) -> Result<T, Error> {
    T::deserialize(Tree::new(Node::Members(members)))
}

impl<'de> Tree<'de> {
    fn new(node: Node<'de>) -> Self {
        Self {
            node,
            coercing: reader::is_coercing(),
        }
    }

    /// The value, unless it is the members of an object.
    fn value(&self) -> Option<&Value> {
        match &self.node {
            Node::Owned(value) => Some(value),
            Node::Borrowed(value) => Some(value),
            Node::Members(_) => None,
        }
    }

    /// The whole number that the value stands for.
    fn whole(&self) -> Option<i64> {
        if !self.coercing {
            return None;
        }
        let number = match self.value()? {
            Value::String(text) => text.trim().parse::<serde_json::Number>().ok()?,
            Value::Number(number) => number.clone(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
        };
        number.as_i64().or_else(|| whole_float(number.as_f64()?))
    }

    /// The number that a text stands for.
    fn float(&self) -> Option<f64> {
        let text = self.value().filter(|_| self.coercing)?.as_str()?;
        text.trim()
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite())
    }

    /// The truth that a text or number stands for.
    fn truth(&self) -> Option<bool> {
        match self.value().filter(|_| self.coercing)? {
            Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "t" | "yes" | "y" | "on" | "1" => Some(true),
                "false" | "f" | "no" | "n" | "off" | "0" => Some(false),
                _ => None,
            },
            Value::Number(number) => match number.as_f64() {
                Some(0.0) => Some(false),
                Some(1.0) => Some(true),
                _ => None,
            },
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

/// A float without a fraction, within the range in which floats are exact.
#[allow(clippy::cast_possible_truncation)] // the range is checked
fn whole_float(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

fn visit_number<'de, V: Visitor<'de>>(
    number: &serde_json::Number,
    visitor: V,
) -> Result<V::Value, Error> {
    match (number.as_u64(), number.as_i64(), number.as_f64()) {
        (Some(number), _, _) => visitor.visit_u64(number),
        (None, Some(number), _) => visitor.visit_i64(number),
        (None, None, Some(number)) => visitor.visit_f64(number),
        (None, None, None) => visitor.visit_unit(),
    }
}

/// The rest of a list.
struct Items<'de> {
    rest: Rest<std::vec::IntoIter<Value>, std::slice::Iter<'de, Value>>,
    coercing: bool,
}

/// The rest of an object, and the value of the member whose name was read last.
struct Members<'de> {
    rest: Rest<map::IntoIter, map::Iter<'de>>,
    value: Option<Node<'de>>,
    coercing: bool,
}

enum Rest<O, B> {
    Owned(O),
    Borrowed(B),
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let node = match &mut self.rest {
            Rest::Owned(items) => items.next().map(Node::Owned),
            Rest::Borrowed(items) => items.next().map(Node::Borrowed),
        };
        let coercing = self.coercing;
        node.map(|node| seed.deserialize(Tree { node, coercing }))
            .transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(match &self.rest {
            Rest::Owned(items) => items.len(),
            Rest::Borrowed(items) => items.len(),
        })
    }
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        match &mut self.rest {
            Rest::Owned(members) => {
                let Some((name, value)) = members.next() else {
                    return Ok(None);
                };
                self.value = Some(Node::Owned(value));
                seed.deserialize(name.into_deserializer()).map(Some)
            }
            Rest::Borrowed(members) => {
                let Some((name, value)) = members.next() else {
                    return Ok(None);
                };
                self.value = Some(Node::Borrowed(value));
                seed.deserialize(name.as_str().into_deserializer())
                    .map(Some)
            }
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        let node = self.value.take().unwrap_or(Node::Owned(Value::Null));
        seed.deserialize(Tree {
            node,
            coercing: self.coercing,
        })
    }

    fn size_hint(&self) -> Option<usize> {
        Some(match &self.rest {
            Rest::Owned(members) => members.len(),
            Rest::Borrowed(members) => members.len(),
        })
    }
}

/// Methods for whole numbers: a text or float that stands for one is taken.
macro_rules! whole_numbers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.whole() {
                Some(number) => visitor.visit_i64(number),
                None => self.deserialize_any(visitor),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for Tree<'de> {
    type Error = Error;

    whole_numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let coercing = self.coercing;
        let items = |rest| Items { rest, coercing };
        let members = |rest| Members {
            rest,
            value: None,
            coercing,
        };
        match self.node {
            Node::Owned(Value::Null) | Node::Borrowed(Value::Null) => visitor.visit_unit(),
            Node::Owned(Value::Bool(truth)) => visitor.visit_bool(truth),
            Node::Borrowed(Value::Bool(truth)) => visitor.visit_bool(*truth),
            Node::Owned(Value::Number(number)) => visit_number(&number, visitor),
            Node::Borrowed(Value::Number(number)) => visit_number(number, visitor),
            Node::Owned(Value::String(text)) => visitor.visit_string(text),
            Node::Borrowed(Value::String(text)) => visitor.visit_borrowed_str(text),
            Node::Owned(Value::Array(list)) => {
                visitor.visit_seq(items(Rest::Owned(list.into_iter())))
            }
            Node::Borrowed(Value::Array(list)) => {
                visitor.visit_seq(items(Rest::Borrowed(list.iter())))
            }
            Node::Owned(Value::Object(map)) => {
                visitor.visit_map(members(Rest::Owned(map.into_iter())))
            }
            Node::Borrowed(Value::Object(map)) | Node::Members(map) => {
                visitor.visit_map(members(Rest::Borrowed(map.iter())))
            }
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.float() {
            Some(number) => visitor.visit_f64(number),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.truth() {
            Some(truth) => visitor.visit_bool(truth),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.value().is_some_and(Value::is_null) {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    // `serde_json`'s map would take null for an empty object, but only from a deserializer that shows it.
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.value().is_some_and(Value::is_null) {
            Err(Error::invalid_type(Unexpected::Unit, &visitor))
        } else {
            self.deserialize_any(visitor)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.value().and_then(Value::as_str) {
            Some(word) => visitor.visit_enum(word.to_owned().into_deserializer()),
            None => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        i128 u128 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct struct
        identifier ignored_any
    }
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;

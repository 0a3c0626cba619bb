//! Numbers and booleans given as text, as the reference's API takes them.

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{IntoDeserializer, Visitor};
use serde::{Deserializer, forward_to_deserialize_any};
use serde_json::{Error, Value};

/// Reads a JSON tree, taking `"2"` and `2.0` for `2`, `"1.5"` for `1.5`, and `"true"`, `"yes"` or `1` for
/// `true` where the type wants that. Text stays text where the type wants text.
pub(crate) struct Lax<'de>(pub(crate) &'de Value);

impl<'de> IntoDeserializer<'de, Error> for Lax<'de> {
    type Deserializer = Self;
    fn into_deserializer(self) -> Self {
        self
    }
}

impl Lax<'_> {
    /// The whole number that the value stands for.
    fn whole(&self) -> Option<i64> {
        let number = match self.0 {
            Value::String(text) => text.trim().parse::<serde_json::Number>().ok()?,
            Value::Number(number) => number.clone(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
        };
        number.as_i64().or_else(|| whole_float(number.as_f64()?))
    }

    fn float(&self) -> Option<f64> {
        self.0
            .as_str()?
            .trim()
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite())
    }

    fn truth(&self) -> Option<bool> {
        match self.0 {
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

/// Methods for numbers: a text or float that stands for one is taken, anything else goes to the value.
macro_rules! whole_numbers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.whole() {
                Some(number) => visitor.visit_i64(number),
                None => self.0.$method(visitor),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for Lax<'de> {
    type Error = Error;

    whole_numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(items) => {
                let mut items = SeqDeserializer::new(items.iter().map(Lax));
                let value = visitor.visit_seq(&mut items)?;
                items.end()?;
                Ok(value)
            }
            Value::Object(members) => {
                let members = members
                    .iter()
                    .map(|(name, value)| (name.as_str(), Lax(value)));
                visitor.visit_map(MapDeserializer::new(members))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                self.0.deserialize_any(visitor)
            }
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.float() {
            Some(number) => visitor.visit_f64(number),
            None => self.0.deserialize_f64(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.truth() {
            Some(truth) => visitor.visit_bool(truth),
            None => self.0.deserialize_bool(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
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
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        i128 u128 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}

#[cfg(test)]
#[path = "lax_tests.rs"]
mod tests;

//! Unions told apart by a tag member, mostly `kind`. What fits no known kind is kept as raw JSON.

use std::fmt;

use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor};
use serde::{Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::json::JsonObject;
use crate::reader;
use crate::tree;

/// A union body of unknown kind, or of a known kind but wrong shape. Written back as it was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RawUnion {
    tag: Option<Box<str>>,
    body: JsonObject,
    problem: Option<Box<str>>,
}

impl RawUnion {
    /// A body under a tag: `members` and the tag itself.
    pub fn new(tag: &str, value: impl Into<String>, mut members: Map<String, Value>) -> Self {
        let value = value.into();
        members.shift_remove(tag);
        members.insert(tag.to_owned(), Value::String(value.clone()));
        Self {
            tag: Some(value.into_boxed_str()),
            body: JsonObject(members),
            problem: None,
        }
    }

    pub(crate) fn kept(
        tag: Option<&str>,
        body: Map<String, Value>,
        problem: Option<String>,
    ) -> Self {
        Self {
            tag: tag.map(Into::into),
            body: JsonObject(body),
            problem: problem.map(String::into_boxed_str),
        }
    }

    /// What the tag says, or nothing when it is missing or no string.
    pub fn kind(&self) -> &str {
        self.tag.as_deref().unwrap_or_default()
    }

    /// The whole body, tag included.
    pub fn body(&self) -> &Map<String, Value> {
        &self.body
    }

    /// The whole body, tag included.
    pub fn into_body(self) -> Map<String, Value> {
        self.body.0
    }

    /// Why a body of a known kind could not be read as such.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }
}

impl Serialize for RawUnion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.body.serialize(serializer)
    }
}

/// Finds the tag of an object in JSON text, skipping everything else without allocating.
pub(crate) fn peek_tag(
    json: &[u8],
    tag: &'static str,
) -> Result<Option<String>, serde_json::Error> {
    struct Peek(&'static str);
    impl<'de> Visitor<'de> for Peek {
        type Value = Option<String>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a JSON object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<String>, A::Error> {
            use crate::wire::{Key, KeySeed};
            let mut found = None;
            while let Some(key) = map.next_key_seed(KeySeed(TAGS, &[], &[]))? {
                match key {
                    Key::Known(name) if name == self.0 => {
                        found = match map.next_value::<Value>()? {
                            Value::String(text) => Some(text),
                            Value::Null
                            | Value::Bool(_)
                            | Value::Number(_)
                            | Value::Array(_)
                            | Value::Object(_) => None,
                        };
                    }
                    Key::Known(_) | Key::Other(_) => {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
            }
            Ok(found)
        }
    }
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let found = (&mut deserializer).deserialize_map(Peek(tag))?;
    deserializer.end()?;
    Ok(found)
}

/// The tags in use.
const TAGS: &[&str] = &[
    "kind",
    "type",
    "strategy",
    "condenser_kind",
    "agent_kind",
    "action",
    "observation",
];

/// The tag in the object of a union, if it is a string.
pub(crate) fn tag_of(body: &Map<String, Value>, tag: &str) -> Option<String> {
    body.get(tag).and_then(Value::as_str).map(str::to_owned)
}

/// Reads one kind from the object of a union. The object stays for the case that it misfits, unless the
/// read in force may use it up.
pub(crate) fn read_body<T: DeserializeOwned>(
    body: &mut Map<String, Value>,
) -> Result<T, serde_json::Error> {
    if reader::reads_by_value() {
        tree::from_value(Value::Object(std::mem::take(body)))
    } else {
        tree::from_members(body)
    }
}

/// Declares a union.
///
/// ```text
/// union! {
///     /// What a tool is asked to do.
///     pub enum Action by "kind" {
///         Terminal(TerminalAction),
///         ..
///     }
///     default Terminal              // optional: the kind when the tag is missing
///     prefix "ClientAction_" Client // optional: tags with this prefix, body kept raw
///     told Telling::Trying          // optional: how errors tell the kinds apart, if not by the tag
/// }
/// ```
macro_rules! union {
    (
        $(#[doc = $doc:literal])*
        pub enum $name:ident by $tag:literal {
            $($(#[$vdoc:meta])* $variant:ident($ty:ty)),+ $(,)?
        }
        $(default $fallback:ident($fallback_ty:ty))?
        $(prefix $prefix:literal $open:ident)?
        $(told $telling:expr)?
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq)]
        // Boxing would cost an allocation for each of the common kinds; these values live behind pointers.
        #[allow(clippy::large_enum_variant)]
        pub enum $name {
            $(
                $(#[$vdoc])*
                #[doc = concat!("[`", stringify!($ty), "`]")]
                $variant($ty),
            )+
            $(
                #[doc = concat!("A tag that starts with `", $prefix, "`; the body is free-form.")]
                $open($crate::union::RawUnion),
            )?
            /// Unknown kind, or a body that does not fit its kind: kept as it was read.
            Unknown($crate::union::RawUnion),
        }

        impl $name {
            /// The member that tells the kinds apart.
            pub const TAG: &'static str = $tag;
            /// The known kinds, in order.
            pub const KINDS: &'static [&'static str] =
                &[$(<$ty as $crate::wire::Tagged>::VALUE),+];

            /// The kind on the wire.
            pub fn kind(&self) -> &str {
                match self {
                    $(Self::$variant(_) => <$ty as $crate::wire::Tagged>::VALUE,)+
                    $(Self::$open(raw) => raw.kind(),)?
                    Self::Unknown(raw) => raw.kind(),
                }
            }

            /// Reads one from JSON text, faster than through serde: no tree is built for the outer object.
            pub fn from_slice(json: &[u8]) -> Result<Self, serde_json::Error> {
                let tag = $crate::union::peek_tag(json, $tag)?;
                let known = match tag.as_deref() {
                    $(Some(<$ty as $crate::wire::Tagged>::VALUE) => {
                        $crate::reader::read_text::<$ty>(json).map(Self::$variant)
                    })+
                    $(None => $crate::reader::read_text::<$fallback_ty>(json).map(Self::$fallback),)?
                    _ => return serde_json::from_slice(json),
                };
                match known {
                    Ok(value) => Ok(value),
                    Err(error) if $crate::reader::is_strict() => Err(error),
                    Err(error) => Ok(Self::Unknown($crate::union::RawUnion::kept(
                        tag.as_deref(),
                        serde_json::from_slice(json)?,
                        Some(error.to_string()),
                    ))),
                }
            }
        }

        impl $crate::schema::Described for $name {
            fn schema() -> &'static $crate::schema::Schema {
                use $crate::schema::{Described, Schema, UnionSchema};
                static UNION: UnionSchema = UnionSchema {
                    name: stringify!($name),
                    docs: &[$($doc),*],
                    tag: $tag,
                    variants: &[$(<$ty as Described>::schema),+],
                    default: $crate::wire::wire!(@option $(|_| Some(<$fallback_ty as $crate::wire::Tagged>::VALUE))?),
                    prefix: $crate::wire::wire!(@option $($prefix)?),
                    telling: $crate::union::union!(@telling $tag $(, $telling)?),
                };
                static SCHEMA: Schema = Schema::Union(&UNION);
                &SCHEMA
            }
        }

        $(
            impl From<$ty> for $name {
                fn from(value: $ty) -> Self {
                    Self::$variant(value)
                }
            }
        )+

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(value) => value.serialize(serializer),)+
                    $(Self::$open(raw) => raw.serialize(serializer),)?
                    Self::Unknown(raw) => raw.serialize(serializer),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                use serde::de::Error as _;
                use $crate::union::{RawUnion, read_body, tag_of};
                let mut body = serde_json::Map::deserialize(deserializer)?;
                let tag = tag_of(&body, $tag);
                let known = match tag.as_deref() {
                    $(Some(<$ty as $crate::wire::Tagged>::VALUE) => read_body(&mut body).map(Self::$variant),)+
                    $(Some(open) if open.starts_with($prefix) => {
                        return Ok(Self::$open(RawUnion::kept(tag.as_deref(), body, None)));
                    })?
                    $(None => read_body(&mut body).map(Self::$fallback),)?
                    #[allow(unreachable_patterns)]
                    None if $crate::reader::is_strict() => {
                        return Err(D::Error::missing_field($tag));
                    }
                    Some(unknown) if $crate::reader::is_strict() => {
                        return Err(D::Error::custom(format_args!(
                            "Unknown {} '{unknown}' for {}; Expected one of: {:?}",
                            $tag, stringify!($name), Self::KINDS
                        )));
                    }
                    #[allow(unreachable_patterns)]
                    Some(_) | None => return Ok(Self::Unknown(RawUnion::kept(tag.as_deref(), body, None))),
                };
                match known {
                    Ok(value) => Ok(value),
                    Err(error) if $crate::reader::refuses_misfits() => Err(D::Error::custom(error)),
                    Err(error) => Ok(Self::Unknown(RawUnion::kept(
                        tag.as_deref(),
                        body,
                        Some(error.to_string()),
                    ))),
                }
            }
        }
    };
    (@telling $tag:literal) => {
        $crate::schema::Telling::Tag { found_using: concat!("'", $tag, "'") }
    };
    (@telling $tag:literal, $telling:expr) => { $telling };
}

pub(crate) use union;

#[cfg(test)]
#[path = "union_tests.rs"]
mod tests;

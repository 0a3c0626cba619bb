//! The one way in which object types are declared: known fields with defaults, unknown ones kept.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, Visitor};

use crate::json::Extra;

/// An object type of the wire.
pub trait Wire {
    /// Names of the known fields, in order.
    const FIELDS: &'static [&'static str];

    /// Members that the type does not know.
    fn extra(&self) -> &Extra;

    /// Members that the type does not know, to change them.
    fn extra_mut(&mut self) -> &mut Extra;
}

/// An object type that says by a constant member which one of a union it is.
pub trait Tagged: Wire {
    /// Name of the member, mostly `kind`.
    const TAG: &'static str;
    /// Its value.
    const VALUE: &'static str;
}

/// A member name: one of the known ones, or another.
pub(crate) enum Key {
    Known(&'static str),
    Other(String),
}

/// Reads a member name without allocating when it is known.
pub(crate) struct KeySeed(
    pub(crate) &'static [&'static str],
    pub(crate) &'static [&'static str],
    pub(crate) &'static [&'static str],
);

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = Key;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl KeySeed {
    fn known(&self, name: &str) -> Option<&'static str> {
        self.0
            .iter()
            .chain(self.1)
            .chain(self.2)
            .find(|known| **known == name)
            .copied()
    }
}

impl Visitor<'_> for KeySeed {
    type Value = Key;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member name")
    }
    fn visit_str<E: Error>(self, name: &str) -> Result<Key, E> {
        Ok(self
            .known(name)
            .map_or_else(|| Key::Other(name.to_owned()), Key::Known))
    }
    fn visit_string<E: Error>(self, name: String) -> Result<Key, E> {
        Ok(self.known(&name).map_or(Key::Other(name), Key::Known))
    }
}

/// Refuses a tag that names another type.
pub(crate) fn check_tag<E: Error>(found: &str, expected: &'static str) -> Result<(), E> {
    if found == expected {
        Ok(())
    } else {
        Err(E::custom(format_args!(
            "is a {found:?}, not a {expected:?}"
        )))
    }
}

/// Declares object types.
///
/// ```text
/// wire! {
///     /// A command for the shell.
///     pub struct TerminalAction ["kind" = "TerminalAction"] (default) {
///         command: String,                       // required
///         is_input: bool = false,                // missing: this default
///         hook_type as "type": HookType = HookType::Command,   // another name on the wire
///         cwd when some: Option<String> = None,  // never written as null, in no form
///         next_page_id when always: Option<String> = None,     // written as null in every form
///         title when present: Patch<String> = Patch::Absent,   // absent and null differ
///         is_async as "async" or "async_": bool = false,       // a second, internal name
///         max_iterations in [ge(1.0)]: i64 = 500,              // limits for requests, see `Rules`
///     }
/// }
/// ```
///
/// All fields are public; `extra` is added and keeps unknown members. A tag is written last, and may be
/// missing when it is read. `event [header: source]` puts the common members of an event first; `source` is
/// their default source. In the parentheses after the name:
///
/// - `default` adds `Default`, with the type's own default for required fields,
/// - `closed` refuses unknown members in requests,
/// - `embedded` says that the members are parameters of a route rather than an object of their own,
/// - `before` and `after` name rules of the type: `Self::before` and `Self::after`, see `ObjectSchema`.
macro_rules! wire {
    ($(
        $(#[doc = $doc:literal])*
        pub struct $name:ident $([$tag:literal = $value:literal])? $(event [$header:ident: $source:expr])? $(($($flag:ident),+))? {
            $( $(#[doc = $fdoc:literal])* $field:ident $(as $rename:literal)? $(or $alias:literal)? $(when $when:ident)? $(in [$($rule:ident($($bound:expr),*))+])? : $ty:ty $(= $init:expr)? ),* $(,)?
        }
    )*) => {
        $(
            $(#[doc = $doc])*
            #[derive(Debug, Clone, PartialEq)]
            pub struct $name {
                $(
                    /// Id, time, source and parent.
                    pub $header: $crate::event::EventHeader,
                )?
                $( $(#[doc = $fdoc])* pub $field: $ty, )*
                /// Members that this version does not know.
                pub extra: $crate::json::Extra,
            }

            impl $crate::wire::Wire for $name {
                const FIELDS: &'static [&'static str] =
                    &[$($crate::wire::wire!(@name $field $($rename)?)),*];
                fn extra(&self) -> &$crate::json::Extra {
                    &self.extra
                }
                fn extra_mut(&mut self) -> &mut $crate::json::Extra {
                    &mut self.extra
                }
            }

            $(impl $crate::wire::Tagged for $name {
                const TAG: &'static str = $tag;
                const VALUE: &'static str = $value;
            })?

            $crate::wire::wire!(@default [$($($flag)+)?] $name { $($field: $ty $(= $init)?),* });

            impl $crate::schema::Described for $name {
                #[allow(unused_imports)] // a type may have no fields
                fn schema() -> &'static $crate::schema::Schema {
                    use $crate::schema::{Field, ObjectSchema, Schema};
                    static OBJECT: ObjectSchema = ObjectSchema {
                        name: stringify!($name),
                        docs: &[$($doc),*],
                        header: $crate::wire::wire!(@header [$($header)?]),
                        fields: &[$(Field {
                            name: $crate::wire::wire!(@name $field $($rename)?),
                            alias: $crate::wire::wire!(@option $($alias)?),
                            docs: &[$($fdoc),*],
                            schema: <$ty as $crate::schema::Described>::schema,
                            default: $crate::wire::wire!(@json $ty $(, $init)?),
                            rules: $crate::wire::wire!(@rules $($($rule($($bound),*))+)?),
                        }),*],
                        tag: $crate::wire::wire!(@option $(($tag, $value))?),
                        closed: $crate::wire::wire!(@closed $($($flag)+)?),
                        embedded: $crate::wire::wire!(@embedded $($($flag)+)?),
                        before: $crate::wire::wire!(@before $name $($($flag)+)?),
                        after: $crate::wire::wire!(@after $name $($($flag)+)?),
                    };
                    static SCHEMA: Schema = Schema::Object(&OBJECT);
                    &SCHEMA
                }
            }

            impl serde::Serialize for $name {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    use serde::ser::SerializeMap as _;
                    let mut map = serializer.serialize_map(None)?;
                    $(self.$header.write_members(&mut map)?;)?
                    $($crate::wire::wire!(@write [$($when)?] map, $crate::wire::wire!(@written $field [$($rename)?] [$($alias)?]), &self.$field);)*
                    self.extra.write_members(&mut map)?;
                    $(map.serialize_entry($tag, $value)?;)?
                    map.end()
                }
            }

            impl<'de> serde::Deserialize<'de> for $name {
                fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    struct Members;
                    impl<'de> serde::de::Visitor<'de> for Members {
                        type Value = $name;
                        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                            f.write_str(concat!("an object of type ", stringify!($name)))
                        }
                        // An unknown member named like a field is impossible; a type without fields
                        // still goes through the same loop.
                        #[allow(unused_mut, unused_variables, clippy::match_single_binding)]
                        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                            use $crate::wire::{Key, KeySeed, Wire as _};
                            const COMMON: &[&str] = $crate::wire::wire!(@common [$($tag)?] [$($header)?]);
                            $(let mut $header = $crate::event::HeaderParts::default();)?
                            $(let mut $field: Option<$ty> = None;)*
                            let mut extra = $crate::json::Extra::EMPTY;
                            while let Some(key) = map.next_key_seed(KeySeed($name::FIELDS, COMMON, &[$($($alias,)?)*]))? {
                                match key {
                                    Key::Known(known) => match known {
                                        $($crate::wire::wire!(@name $field $($rename)?) $(| $alias)? => {
                                            $field = Some(map.next_value()?);
                                        })*
                                        $($tag => {
                                            let found: std::borrow::Cow<'_, str> = map.next_value()?;
                                            $crate::wire::check_tag(&found, $value)?;
                                        })?
                                        other => { $($header.read_member(other, &mut map)?;)? }
                                    },
                                    Key::Other(name) => {
                                        $crate::reader::check_member(&name, $name::FIELDS)?;
                                        extra.insert(name, map.next_value::<serde_json::Value>()?);
                                    }
                                }
                            }
                            Ok($name {
                                $($header: $header.finish($source)?,)?
                                $($field: match $field {
                                    Some(value) => value,
                                    None => $crate::wire::wire!(@missing A, $crate::wire::wire!(@name $field $($rename)?) $(, $init)?),
                                },)*
                                extra,
                            })
                        }
                    }
                    deserializer.deserialize_map(Members)
                }
            }
        )*
    };
    (@written $field:ident [$($rename:literal)?] []) => { $crate::wire::wire!(@name $field $($rename)?) };
    (@written $field:ident [$rename:literal] [$alias:literal]) => {
        $crate::writer::choose_name($rename, $alias)
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $rename:literal) => { $rename };
    (@write [] $map:ident, $name:expr, $value:expr) => { $map.serialize_entry($name, $value)? };
    (@write [some] $map:ident, $name:expr, $value:expr) => {
        if let Some(value) = $value {
            $map.serialize_entry($name, value)?;
        }
    };
    (@write [always] $map:ident, $name:expr, $value:expr) => {
        $map.serialize_entry($name, &$crate::json::Verbatim($value))?
    };
    (@write [present] $map:ident, $name:expr, $value:expr) => {
        if !$value.is_absent() {
            $map.serialize_entry($name, $value)?;
        }
    };
    (@common [] []) => { &[] };
    (@common [$tag:literal] []) => { &[$tag] };
    (@common [$tag:literal] [$header:ident]) => { &["id", "timestamp", "source", "parent_id", $tag] };
    (@missing $access:ident, $name:expr) => {
        return Err(<$access::Error as serde::de::Error>::missing_field($name))
    };
    (@missing $access:ident, $name:expr, $init:expr) => { $init };
    (@option) => { None };
    (@option $value:expr) => { Some($value) };
    (@header []) => { &[] };
    (@header [$header:ident]) => { $crate::event::HEADER_FIELDS };
    (@json $ty:ty) => { None };
    (@json $ty:ty, $init:expr) => { Some(|| $crate::schema::json::<$ty>($init)) };
    (@rules) => { None };
    (@rules $($rule:ident($($bound:expr),*))+) => {
        Some(const { &$crate::schema::Rules::NONE$(.$rule($($bound),*))+ })
    };
    (@closed) => { false };
    (@closed closed $($flag:ident)*) => { true };
    (@closed $other:ident $($flag:ident)*) => { $crate::wire::wire!(@closed $($flag)*) };
    (@embedded) => { false };
    (@embedded embedded $($flag:ident)*) => { true };
    (@embedded $other:ident $($flag:ident)*) => { $crate::wire::wire!(@embedded $($flag)*) };
    (@before $name:ident) => { None };
    (@before $name:ident before $($flag:ident)*) => { Some($name::before) };
    (@before $name:ident $other:ident $($flag:ident)*) => { $crate::wire::wire!(@before $name $($flag)*) };
    (@after $name:ident) => { None };
    (@after $name:ident after $($flag:ident)*) => { Some($name::after) };
    (@after $name:ident $other:ident $($flag:ident)*) => { $crate::wire::wire!(@after $name $($flag)*) };
    (@default [default $($flag:ident)*] $name:ident { $($field:ident: $ty:ty $(= $init:expr)?),* }) => {
        impl Default for $name {
            fn default() -> Self {
                Self {
                    $($field: $crate::wire::wire!(@init $($init)?),)*
                    extra: $crate::json::Extra::EMPTY,
                }
            }
        }
    };
    (@default [$($flag:ident)*] $($rest:tt)*) => {};
    (@init) => { Default::default() };
    (@init $init:expr) => { $init };
}

pub(crate) use wire;

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;

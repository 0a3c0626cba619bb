//! Values that are one string on the wire: parsing them, and enums of fixed words.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::Deserializer;
use serde::de::{self, Visitor};

/// Reads a string and parses it.
pub(crate) fn parse<'de, T, D>(deserializer: D, expected: &'static str) -> Result<T, D::Error>
where
    T: FromStr,
    T::Err: fmt::Display,
    D: Deserializer<'de>,
{
    struct Text<T>(&'static str, PhantomData<T>);
    impl<T> Visitor<'_> for Text<T>
    where
        T: FromStr,
        T::Err: fmt::Display,
    {
        type Value = T;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
        fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(E::custom)
        }
    }
    deserializer.deserialize_str(Text(expected, PhantomData))
}

/// A word that is not one of an enum's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown word {word:?}, expected one of: {}", expected.join(", "))]
pub struct UnknownWord {
    /// What was found.
    pub word: String,
    /// What would have been right.
    pub expected: &'static [&'static str],
}

/// An enum of fixed words. The first word is the default.
///
/// `pub enum` is closed: another word is an error. `from` names a function that first brings other
/// spellings into form. `pub open enum` keeps another word as `Other`, except
/// in a strict read: it is for settings, where a newer peer may know more words.
macro_rules! words {
    ($(#[doc = $doc:literal])* pub enum $name:ident $(from $normal:ident)? { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vdoc])* #[doc = concat!("`", $word, "`")] $variant),+ }

        impl $name {
            /// All words, in order.
            pub const WORDS: &'static [&'static str] = &[$($word),+];
            /// All values, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::text::UnknownWord;
            fn from_str(word: &str) -> Result<Self, Self::Err> {
                $(let normal = $normal(word);
                let word = normal.as_str();)?
                match word {
                    $($word => Ok(Self::$variant),)+
                    other => Err($crate::text::UnknownWord { word: other.to_owned(), expected: Self::WORDS }),
                }
            }
        }

        $crate::text::words!(@shared $name [$($doc),*] $($normal)?);
        $crate::text::words!(@default $name $($variant)+);
    };
    ($(#[doc = $doc:literal])* pub open enum $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$vdoc])* #[doc = concat!("`", $word, "`")] $variant,)+
            /// A word that this version does not know.
            Other(Box<str>),
        }

        impl $name {
            /// All known words, in order.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word on the wire.
            pub fn as_str(&self) -> &str {
                match self { $(Self::$variant => $word,)+ Self::Other(word) => word }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::text::UnknownWord;
            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $($word => Ok(Self::$variant),)+
                    other if $crate::reader::is_strict() => {
                        Err($crate::text::UnknownWord { word: other.to_owned(), expected: Self::WORDS })
                    }
                    other => Ok(Self::Other(other.into())),
                }
            }
        }

        $crate::text::words!(@shared $name [$($doc),*]);
        $crate::text::words!(@default $name $($variant)+);
    };
    (@default $name:ident $first:ident $($rest:ident)*) => {
        impl Default for $name {
            fn default() -> Self {
                Self::$first
            }
        }
    };
    (@shared $name:ident [$($doc:literal),*] $($normal:ident)?) => {
        impl $crate::schema::Described for $name {
            fn schema() -> &'static $crate::schema::Schema {
                use $crate::schema::{Schema, WordsSchema};
                static WORDS: WordsSchema = WordsSchema {
                    name: stringify!($name),
                    docs: &[$($doc),*],
                    words: $name::WORDS,
                    normal: $crate::wire::wire!(@option $($normal)?),
                };
                static SCHEMA: Schema = Schema::Words(&WORDS);
                &SCHEMA
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::text::parse(deserializer, concat!("a word of ", stringify!($name)))
            }
        }
    };
}

pub(crate) use words;

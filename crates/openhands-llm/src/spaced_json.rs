//! JSON text in the spelling that models and the reference write: a space after commas and colons, and
//! nothing beyond ASCII. Argument text that is compared with recordings must be spelt like this.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        writer.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        writer.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if fragment.is_ascii() {
            return writer.write_all(fragment.as_bytes());
        }
        for char in fragment.chars() {
            if char.is_ascii() {
                write!(writer, "{char}")?;
                continue;
            }
            for unit in char.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
        }
        Ok(())
    }
}

/// The text of a value.
pub fn to_text(value: &Value) -> String {
    let mut text = Vec::new();
    // Writing a value into memory cannot fail; if it did, the plain spelling is as good.
    match value.serialize(&mut Serializer::with_formatter(&mut text, Spaced)) {
        Ok(()) => String::from_utf8(text).unwrap_or_else(|_| value.to_string()),
        Err(_) => value.to_string(),
    }
}

#[cfg(test)]
#[path = "spaced_json_tests.rs"]
mod tests;

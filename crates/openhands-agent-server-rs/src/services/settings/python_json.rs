//! JSON text as Python's `json.dump(.., indent=2)` writes it, so that files do not change when the servers take turns.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

/// Two spaces, and nothing but ASCII: Python reads some of the files in the encoding of its locale.
#[derive(Default)]
struct AsciiPretty(PrettyFormatter<'static>);

/// Methods that lay out arrays and objects, passed on as they are.
macro_rules! pass_on {
    ($($method:ident($($argument:ident: $ty:ty)?))*) => {
        $(fn $method<W: ?Sized + Write>(&mut self, out: &mut W $(, $argument: $ty)?) -> io::Result<()> {
            self.0.$method(out $(, $argument)?)
        })*
    };
}

impl Formatter for AsciiPretty {
    pass_on! {
        begin_array() end_array() begin_array_value(is_first: bool) end_array_value()
        begin_object() end_object() begin_object_key(is_first: bool) begin_object_value() end_object_value()
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        for part in fragment.split_inclusive(|letter: char| !letter.is_ascii()) {
            let mut letters = part.chars();
            match letters.next_back().filter(|last| !last.is_ascii()) {
                None => out.write_all(part.as_bytes())?,
                Some(last) => {
                    out.write_all(letters.as_str().as_bytes())?;
                    for unit in last.encode_utf16(&mut [0; 2]) {
                        write!(out, "\\u{unit:04x}")?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// A value as text.
pub(crate) fn to_text(value: &Value) -> Result<Vec<u8>, serde_json::Error> {
    let mut text = Vec::with_capacity(1024);
    value.serialize(&mut Serializer::with_formatter(
        &mut text,
        AsciiPretty::default(),
    ))?;
    Ok(text)
}

#[cfg(test)]
#[path = "python_json_tests.rs"]
mod tests;

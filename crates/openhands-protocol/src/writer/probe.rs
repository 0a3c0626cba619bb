//! Asks a value whether it would be written as null, without writing it.

use std::fmt;

use serde::Serialize;
use serde::ser::{Impossible, Serializer};

use crate::json::VERBATIM;
use crate::secret::SECRET;

/// Whether a value would be written as `null`. Stops at the first thing that is not.
pub(super) fn is_null<T: Serialize + ?Sized>(value: &T) -> bool {
    value.serialize(Probe).is_ok()
}

/// Succeeds on null, fails on everything else: the failure is what makes it short.
struct Probe;

/// Says that a value is not null; carries nothing, so that making it costs nothing.
#[derive(Debug)]
struct NotNull;

impl fmt::Display for NotNull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not null")
    }
}

impl std::error::Error for NotNull {}

impl serde::ser::Error for NotNull {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

/// Methods for plain values, none of which is null.
macro_rules! not_null {
    ($($method:ident($ty:ty))*) => {
        $(fn $method(self, _: $ty) -> Result<(), NotNull> { Err(NotNull) })*
    };
}

impl Serializer for Probe {
    type Ok = ();
    type Error = NotNull;
    type SerializeSeq = Impossible<(), NotNull>;
    type SerializeTuple = Impossible<(), NotNull>;
    type SerializeTupleStruct = Impossible<(), NotNull>;
    type SerializeTupleVariant = Impossible<(), NotNull>;
    type SerializeMap = Impossible<(), NotNull>;
    type SerializeStruct = Impossible<(), NotNull>;
    type SerializeStructVariant = Impossible<(), NotNull>;

    not_null! {
        serialize_bool(bool) serialize_i8(i8) serialize_i16(i16) serialize_i32(i32)
        serialize_i64(i64) serialize_u8(u8) serialize_u16(u16) serialize_u32(u32)
        serialize_u64(u64) serialize_char(char) serialize_str(&str) serialize_bytes(&[u8])
    }

    fn serialize_f32(self, value: f32) -> Result<(), NotNull> {
        self.serialize_f64(f64::from(value))
    }

    // JSON has no NaN and no infinity: serde_json writes null for them.
    fn serialize_f64(self, value: f64) -> Result<(), NotNull> {
        if value.is_finite() {
            Err(NotNull)
        } else {
            Ok(())
        }
    }

    fn serialize_none(self) -> Result<(), NotNull> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), NotNull> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), NotNull> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), NotNull> {
        Ok(())
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
    ) -> Result<(), NotNull> {
        Err(NotNull)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), NotNull> {
        if name == VERBATIM || name == SECRET {
            Err(NotNull)
        } else {
            value.serialize(self)
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), NotNull> {
        Err(NotNull)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, NotNull> {
        Err(NotNull)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, NotNull> {
        Err(NotNull)
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, NotNull> {
        Err(NotNull)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, NotNull> {
        Err(NotNull)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, NotNull> {
        Err(NotNull)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, NotNull> {
        Err(NotNull)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, NotNull> {
        Err(NotNull)
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, _: &T) -> Result<(), NotNull> {
        Err(NotNull)
    }
}

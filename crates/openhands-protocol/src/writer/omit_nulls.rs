//! A serializer around another one that leaves out object members whose value is null.

use serde::Serialize;
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::probe::is_null;
use crate::json::VERBATIM;

/// Wraps a serializer, or one of its compound states.
pub(super) struct OmitNulls<S>(pub(super) S);

/// A value that serialises itself through [`OmitNulls`], for the members of a wrapped compound.
struct Member<'a, T: ?Sized>(&'a T);

impl<T: Serialize + ?Sized> Serialize for Member<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(OmitNulls(serializer))
    }
}

/// Methods for plain values, passed on as they are.
macro_rules! pass_on {
    ($($method:ident($ty:ty))*) => {
        $(fn $method(self, value: $ty) -> Result<S::Ok, S::Error> { self.0.$method(value) })*
    };
}

impl<S: Serializer> Serializer for OmitNulls<S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = OmitNulls<S::SerializeSeq>;
    type SerializeTuple = OmitNulls<S::SerializeTuple>;
    type SerializeTupleStruct = OmitNulls<S::SerializeTupleStruct>;
    type SerializeTupleVariant = OmitNulls<S::SerializeTupleVariant>;
    type SerializeMap = OmitNulls<S::SerializeMap>;
    type SerializeStruct = OmitNulls<S::SerializeStruct>;
    type SerializeStructVariant = OmitNulls<S::SerializeStructVariant>;

    pass_on! {
        serialize_bool(bool) serialize_i8(i8) serialize_i16(i16) serialize_i32(i32)
        serialize_i64(i64) serialize_i128(i128) serialize_u8(u8) serialize_u16(u16)
        serialize_u32(u32) serialize_u64(u64) serialize_u128(u128) serialize_f32(f32)
        serialize_f64(f64) serialize_char(char) serialize_str(&str) serialize_bytes(&[u8])
        serialize_unit_struct(&'static str)
    }

    fn serialize_none(self) -> Result<S::Ok, S::Error> {
        self.0.serialize_none()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.0.serialize_some(&Member(value))
    }

    fn serialize_unit(self) -> Result<S::Ok, S::Error> {
        self.0.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
    ) -> Result<S::Ok, S::Error> {
        self.0.serialize_unit_variant(name, index, variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        if name == VERBATIM {
            self.0.serialize_newtype_struct(name, value)
        } else {
            self.0.serialize_newtype_struct(name, &Member(value))
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        self.0
            .serialize_newtype_variant(name, index, variant, &Member(value))
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Self::SerializeSeq, S::Error> {
        self.0.serialize_seq(len).map(OmitNulls)
    }

    fn serialize_tuple(self, len: usize) -> Result<Self::SerializeTuple, S::Error> {
        self.0.serialize_tuple(len).map(OmitNulls)
    }

    fn serialize_tuple_struct(
        self,
        name: &'static str,
        len: usize,
    ) -> Result<Self::SerializeTupleStruct, S::Error> {
        self.0.serialize_tuple_struct(name, len).map(OmitNulls)
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self::SerializeTupleVariant, S::Error> {
        self.0
            .serialize_tuple_variant(name, index, variant, len)
            .map(OmitNulls)
    }

    // The number of members is not known before they are probed.
    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, S::Error> {
        self.0.serialize_map(None).map(OmitNulls)
    }

    fn serialize_struct(
        self,
        name: &'static str,
        len: usize,
    ) -> Result<Self::SerializeStruct, S::Error> {
        self.0.serialize_struct(name, len).map(OmitNulls)
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self::SerializeStructVariant, S::Error> {
        self.0
            .serialize_struct_variant(name, index, variant, len)
            .map(OmitNulls)
    }

    fn collect_str<T: std::fmt::Display + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.0.collect_str(value)
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

/// Sequences keep their nulls: a position has a meaning.
macro_rules! wrap_sequence {
    ($($trait:ident::$method:ident)*) => {
        $(impl<S: $trait> $trait for OmitNulls<S> {
            type Ok = S::Ok;
            type Error = S::Error;
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
                self.0.$method(&Member(value))
            }
            fn end(self) -> Result<S::Ok, S::Error> {
                self.0.end()
            }
        })*
    };
}

wrap_sequence! {
    SerializeSeq::serialize_element SerializeTuple::serialize_element
    SerializeTupleStruct::serialize_field SerializeTupleVariant::serialize_field
}

impl<S: SerializeMap> SerializeMap for OmitNulls<S> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), S::Error> {
        self.0.serialize_key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
        self.0.serialize_value(&Member(value))
    }

    fn serialize_entry<K: Serialize + ?Sized, V: Serialize + ?Sized>(
        &mut self,
        key: &K,
        value: &V,
    ) -> Result<(), S::Error> {
        if is_null(value) {
            Ok(())
        } else {
            self.0.serialize_entry(key, &Member(value))
        }
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.0.end()
    }
}

/// Structs drop the fields that are null.
macro_rules! wrap_fields {
    ($($trait:ident)*) => {
        $(impl<S: $trait> $trait for OmitNulls<S> {
            type Ok = S::Ok;
            type Error = S::Error;
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), S::Error> {
                if is_null(value) {
                    self.0.skip_field(key)
                } else {
                    self.0.serialize_field(key, &Member(value))
                }
            }
            fn end(self) -> Result<S::Ok, S::Error> {
                self.0.end()
            }
        })*
    };
}

wrap_fields! { SerializeStruct SerializeStructVariant }

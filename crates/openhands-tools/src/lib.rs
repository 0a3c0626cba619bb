//! The hands: tools in two halves (definition, executor) and the engines they stand on.

mod resolve;
pub mod safe_write;
pub mod truncate;

//! The hands: tools in two halves (definition, executor) and the engines they stand on.

pub mod file_editor;
mod resolve;
pub mod safe_write;
pub mod truncate;

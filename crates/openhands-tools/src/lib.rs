//! The hands: tools in two halves (definition, executor) and the engines they stand on.
pub mod search;

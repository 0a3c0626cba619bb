//! JSON schemas (draft 2020-12): whether one is sound, and what is wrong with a value under it.
//!
//! Everything that a schema can say about a value within one document is checked. References to other documents
//! or to anchors, and the two keywords that depend on what other keywords looked at, are refused when the schema is
//! read: a rule that is not checked must not look as if it were. `format` is a remark and checks nothing.

mod check;
mod same;
mod sound;

use crate::arguments::Loc;
use serde_json::Value;

/// References and nesting followed before a value counts as wrong; a reference can lead back to itself.
const MAX_DEPTH: usize = 128;

/// A schema that was found sound.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JsonSchema {
    root: Value,
}

/// One thing wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Violation {
    /// Where, from the outermost field inward.
    pub(crate) at: Vec<Loc>,
    pub(crate) message: String,
}

impl JsonSchema {
    /// Takes a schema, or says what is wrong with it.
    pub(crate) fn new(schema: Value) -> Result<Self, String> {
        sound::check(&schema, &schema, 0)?;
        Ok(Self { root: schema })
    }

    /// Everything wrong with `value`; nothing if it fits.
    pub(crate) fn violations(&self, value: &Value) -> Vec<Violation> {
        check::violations(&self.root, value)
    }
}

/// The part of `root` that a reference names.
fn lookup<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let pointer = reference.strip_prefix('#')?;
    root.pointer(pointer)
}

#[cfg(test)]
#[path = "json_schema_tests.rs"]
mod tests;

//! Repairing tool calls: from what a model wrote to a registered name and arguments of the right shape.
//!
//! ```text
//! text ─ parse ─► arguments ─ call ─► name, arguments ─ types(schema) ─► arguments to validate
//! ```
//!
//! Every step leaves alone what it does not recognise, so that validation can say what is wrong.

mod call;
mod json_text;
mod shell_words;
mod types;

pub use call::{CannotInfer, GrepProgram, RepairedCall, call};
pub use json_text::JsonTextError;
pub use types::types;

use serde_json::{Map, Value};

/// Misspellings of `security_risk` that models have produced.
const RISK_MISSPELLED: &[&str] = &["security_rort", "securtiy_risk", "security_riks"];

/// Reads a call's argument text.
///
/// Control characters inside of strings are taken as they are, and anything but an object counts as no arguments.
/// Null members are dropped: they mean the same as none.
pub fn parse(text: &str) -> Result<Map<String, Value>, JsonTextError> {
    let Value::Object(members) = json_text::read(text)? else {
        return Ok(Map::new());
    };
    let mut arguments = Map::new();
    for (name, value) in members {
        if value.is_null() {
            continue;
        }
        if RISK_MISSPELLED.contains(&name.as_str()) {
            arguments.insert("security_risk".to_owned(), value);
        } else if name != "security_risk" || !arguments.contains_key("security_risk") {
            arguments.insert(name, value);
        }
    }
    Ok(arguments)
}

#[cfg(test)]
#[path = "repair_tests.rs"]
mod tests;

//! Cases on which this project is better than the recording, each with its reason.

use crate::format::Case;
use serde_json::{Map, Value};
use std::path::Path;

/// The list that belongs to the project's own copy of the cases; it holds for copies elsewhere too.
const OWN: &str =
    include_str!("../../../openhands-tools/tests/fixtures/tool-cases/exceptions.json");

/// Reasons by case id, or by `TOOL name: WORD`.
#[derive(Debug, Default)]
pub(crate) struct Exceptions(Map<String, Value>);

impl Exceptions {
    /// The project's list, and the directory's own where it has one.
    pub(crate) fn load(directory: &Path) -> anyhow::Result<Self> {
        let mut reasons: Map<String, Value> = serde_json::from_str(OWN)?;
        if let Ok(text) = std::fs::read_to_string(directory.join("exceptions.json")) {
            reasons.extend(serde_json::from_str::<Map<String, Value>>(&text)?);
        }
        Ok(Self(reasons))
    }

    /// Why the case with this id may differ.
    pub(crate) fn by_id(&self, id: &str) -> Option<&str> {
        self.0.get(id).and_then(Value::as_str)
    }

    /// Why the case may differ: a reason for its id, or for a word in the names of its tool's cases.
    pub(crate) fn reason(&self, case: &Case) -> Option<&str> {
        let reason = self.0.get(&case.id).or_else(|| {
            self.0.iter().find_map(|(rule, reason)| {
                let (tool, word) = rule.split_once(" name: ")?;
                (tool == case.tool && case.name.to_lowercase().contains(word)).then_some(reason)
            })
        });
        reason.and_then(Value::as_str)
    }
}

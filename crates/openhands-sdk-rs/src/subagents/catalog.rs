//! The sub-agents that a conversation can start, by name.

use std::fmt::Write as _;

use indexmap::IndexMap;
use openhands_protocol::agent::AgentDefinition;

/// The sub-agent that is meant when none is named.
const USUAL: &str = "general-purpose";

/// Names of earlier versions.
const EARLIER_NAMES: [(&str, &str); 4] = [
    ("default", USUAL),
    ("default cli mode", USUAL),
    ("explore", "code-explorer"),
    ("bash", "bash-runner"),
];

/// There is no such sub-agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Unknown agent '{name}'. Available types: {available}.")]
pub struct UnknownAgent {
    name: String,
    available: String,
}

/// The sub-agents that a conversation can start.
#[derive(Debug, Clone, Default)]
pub struct Catalog(IndexMap<String, AgentDefinition>);

impl Catalog {
    /// All of these; the first of a name wins.
    pub fn new(definitions: impl IntoIterator<Item = AgentDefinition>) -> Self {
        let mut catalog = IndexMap::new();
        for definition in definitions {
            catalog.entry(definition.name.clone()).or_insert(definition);
        }
        catalog.sort_keys();
        Self(catalog)
    }

    /// The sub-agent of this name, or of the one that it stands for.
    pub fn get(&self, name: &str) -> Result<&AgentDefinition, UnknownAgent> {
        let earlier = EARLIER_NAMES.iter().find(|(earlier, _)| *earlier == name);
        let meant = match earlier {
            Some((_, present)) => present,
            None if name.is_empty() => USUAL,
            None => name,
        };
        self.0.get(meant).ok_or_else(|| UnknownAgent {
            name: name.to_owned(),
            available: if self.0.is_empty() {
                "none registered".to_owned()
            } else {
                self.0.keys().cloned().collect::<Vec<_>>().join(", ")
            },
        })
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = &AgentDefinition> {
        self.0.values()
    }

    /// The list that the model reads, of those that are to be offered.
    pub(crate) fn listing(&self, is_offered: impl Fn(&AgentDefinition) -> bool) -> String {
        let mut text = String::new();
        for definition in self.iter().filter(|definition| is_offered(definition)) {
            if !text.is_empty() {
                text.push('\n');
            }
            let _ = write!(
                text,
                "- **{}**: {}",
                definition.name, definition.description
            );
            if !definition.tools.is_empty() {
                let _ = write!(text, " (tools: {})", definition.tools.join(", "));
            }
        }
        text
    }
}

#[cfg(test)]
#[path = "catalog_tests.rs"]
mod tests;

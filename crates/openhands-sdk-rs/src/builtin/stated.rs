//! The pure half of a built-in tool, put together from its parts.

use std::fmt;

use openhands_protocol::JsonObject;
use openhands_protocol::tool::{Action, ToolSpec};
use openhands_tools::arguments::InvalidArguments;
use openhands_tools::{CreateError, Locks, ToolDefinition};
use serde_json::{Map, Value};

/// Turns arguments into an action.
pub(super) type Decode = fn(&Map<String, Value>) -> Result<Action, InvalidArguments>;

/// A definition whose parts are known beforehand.
pub(super) struct Stated {
    spec: ToolSpec,
    decode: Decode,
    locks: Locks,
}

impl Stated {
    /// A tool that runs one call at a time.
    pub(super) fn new(spec: ToolSpec, decode: Decode) -> Self {
        Self {
            locks: Locks::tool(&spec.name),
            spec,
            decode,
        }
    }

    /// The same, beside anything.
    #[must_use]
    pub(super) fn beside_anything(mut self) -> Self {
        self.locks = Locks::none();
        self
    }
}

impl ToolDefinition for Stated {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        (self.decode)(arguments)
    }

    fn locks(&self, _: &Action) -> Locks {
        self.locks.clone()
    }
}

impl fmt::Debug for Stated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stated").field(&self.spec.name).finish()
    }
}

/// Refuses parameters that a tool does not have.
pub(super) fn only(tool: &str, params: &JsonObject, known: &[&str]) -> Result<(), CreateError> {
    match params.0.keys().find(|key| !known.contains(&key.as_str())) {
        Some(unknown) => Err(CreateError::BadParameter {
            tool: tool.to_owned(),
            parameter: unknown.clone(),
            problem: "the tool has no such parameter".to_owned(),
        }),
        None => Ok(()),
    }
}

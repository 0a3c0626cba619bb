//! A terminal in a temporary directory.

use openhands_protocol::tool::{Observation, TerminalObservation, Tool};
use openhands_protocol::{ConversationId, JsonObject, ToolCallId};
use openhands_tools::{CallContext, Definitions, Machine, Place, Registry, ToolError, ToolSet};
use serde_json::{Value, json};
use std::path::PathBuf;

pub(crate) struct Terminal {
    pub(crate) directory: tempfile::TempDir,
    definitions: Definitions,
    tools: ToolSet,
}

impl Terminal {
    pub(crate) fn new() -> Self {
        Self::with(&json!({}), |_| {})
    }

    pub(crate) fn with(params: &Value, change: impl FnOnce(&mut Machine)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut machine = Machine {
            place: Place {
                working_dir: directory.path().canonicalize().unwrap(),
                persistence_dir: None,
            },
            env: std::env::vars()
                .filter(|(name, _)| name != "HOME")
                .collect(),
            ..Machine::default()
        };
        machine
            .env
            .push(("HOME".into(), directory.path().display().to_string()));
        change(&mut machine);
        let wanted = [Tool {
            params: JsonObject::from(params.as_object().unwrap().clone()),
            ..Tool::new("terminal")
        }];
        let registry = Registry::standard();
        Self {
            definitions: registry.definitions(&wanted, &machine.place).unwrap(),
            tools: registry.executors(&wanted, &machine).unwrap(),
            directory,
        }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap()
    }

    pub(crate) async fn call_with(
        &self,
        arguments: Value,
        cx: CallContext,
    ) -> Result<TerminalObservation, ToolError> {
        let definition = self.definitions.get("terminal").unwrap();
        let action = definition.decode(arguments.as_object().unwrap()).unwrap();
        match self.tools.execute("terminal", action, cx).await? {
            Observation::Terminal(observation) => Ok(observation),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn call(&self, arguments: Value) -> TerminalObservation {
        self.call_with(arguments, context()).await.unwrap()
    }

    pub(crate) async fn run(&self, command: &str) -> (i32, String) {
        let observation = self.call(json!({"command": command})).await;
        (observation.exit_code.unwrap(), text(&observation))
    }

    pub(crate) async fn close(&self) {
        self.tools.close().await;
    }
}

pub(crate) fn context() -> CallContext {
    CallContext::detached(ToolCallId::new("call"), ConversationId::random())
}

pub(crate) fn text(observation: &TerminalObservation) -> String {
    Observation::Terminal(observation.clone()).text()
}

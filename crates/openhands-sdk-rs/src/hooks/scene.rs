//! A conversation with hooks in a temporary directory, for the tests of this module.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use openhands_protocol::event::{ActionEvent, MessageEvent, ObservationEvent};
use openhands_protocol::secrets::SecretInput;
use openhands_protocol::{ConversationId, Event, Reading, Secret};
use openhands_runtime::{LocalRuntime, Runtime};
use openhands_tools::{Machine, Place};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::hooks::{HookMind, HookOutcome, HookSetup, Hooks, config};
use crate::secrets::Registry;

pub(super) struct Scene {
    pub(super) dir: TempDir,
    pub(super) hooks: Hooks,
    pub(super) cancel: CancellationToken,
    pub(super) secrets: Registry,
}

impl Scene {
    pub(super) fn new(hooks: Value) -> Self {
        Self::with_mind(hooks, None)
    }

    pub(super) fn with_mind(hooks: Value, mind: Option<Arc<dyn HookMind>>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let secrets = Registry::default();
        let hooks = Hooks::new(HookSetup {
            config: config::from_value(hooks).unwrap(),
            runtime: runtime(dir.path()),
            conversation: conversation(),
            secrets: secrets.clone(),
            mind,
        });
        Self {
            dir,
            hooks,
            cancel: CancellationToken::new(),
            secrets,
        }
    }

    /// One hook that is a command, for all tools and messages.
    pub(super) fn command(event: &str, command: &str) -> Self {
        Self::new(json!({event: [{"hooks": [{"command": command}]}]}))
    }

    pub(super) fn hide(&self, value: &str) {
        let input = SecretInput::Plain(Secret::new(value));
        self.secrets.merge([("HIDDEN_VALUE".to_owned(), input)]);
    }

    pub(super) async fn pre(&self) -> HookOutcome {
        self.hooks.pre_tool_use(&action("ls"), &self.cancel).await
    }

    pub(super) fn root(&self) -> &Path {
        self.dir.path()
    }

    /// Waits until a hook has written the number of its process, and gives it.
    pub(super) async fn process(&self, file: &str) -> String {
        let path = self.root().join(file);
        eventually("a number of a process", || {
            std::fs::read_to_string(&path).is_ok_and(|text| text.ends_with('\n'))
        })
        .await;
        std::fs::read_to_string(&path).unwrap().trim().to_owned()
    }
}

pub(super) fn conversation() -> ConversationId {
    "00000000-0000-0000-0000-000000000001".parse().unwrap()
}

fn runtime(root: &Path) -> Arc<dyn Runtime> {
    let machine = Machine {
        place: Place {
            working_dir: root.to_path_buf(),
            persistence_dir: None,
        },
        env: vec![
            ("PATH".to_owned(), std::env::var("PATH").unwrap()),
            ("SESSION_API_KEY".to_owned(), "of the server".to_owned()),
        ],
        ..Machine::default()
    };
    let registry = openhands_tools::Registry::standard();
    Arc::new(LocalRuntime::new(&registry, &[], &machine).unwrap())
}

pub(super) fn action(command: &str) -> ActionEvent {
    let event = read(json!({
        "kind": "ActionEvent", "id": "a1", "source": "agent", "thought": [], "tool_name": "terminal",
        "tool_call_id": "c1", "llm_response_id": "r1",
        "tool_call": {"id": "c1", "name": "terminal", "arguments": "{}", "origin": "completion"},
        "action": {"kind": "TerminalAction", "command": command},
    }));
    match event {
        Event::Action(action) => action,
        other => panic!("{other:?}"),
    }
}

pub(super) fn observation(text: &str) -> ObservationEvent {
    let event = read(json!({
        "kind": "ObservationEvent", "id": "o1", "source": "environment", "tool_name": "terminal",
        "tool_call_id": "c1", "action_id": "a1",
        "observation": {"kind": "ThinkObservation", "content": [{"type": "text", "text": text}]},
    }));
    match event {
        Event::Observation(observation) => observation,
        other => panic!("{other:?}"),
    }
}

pub(super) fn message(source: &str, text: &str) -> MessageEvent {
    let event = read(json!({
        "kind": "MessageEvent", "id": "m1", "source": source,
        "llm_message": {"role": "user", "content": [{"type": "text", "text": text}]},
    }));
    match event {
        Event::Message(message) => message,
        other => panic!("{other:?}"),
    }
}

fn read(json: Value) -> Event {
    Reading::strict().from_value(json).unwrap()
}

pub(super) fn is_alive(process: &str) -> bool {
    Path::new("/proc").join(process).exists()
}

/// Waits for a condition, and fails when it does not come true.
pub(super) async fn eventually(what: &str, condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_mins(1), "no {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

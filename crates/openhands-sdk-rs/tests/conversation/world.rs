//! A temporary place with a host whose model plays a script.

use std::path::Path;
use std::sync::Arc;

use openhands_sdk_rs::conversation::{Conversation, ConversationConfig, Host};
use openhands_sdk_rs::llm::ScriptedModel;
use openhands_sdk_rs::protocol::Event;
use openhands_sdk_rs::protocol::agent::Agent;
use openhands_sdk_rs::protocol::message::{Message, Role};
use serde_json::json;

pub(crate) struct World {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) host: Arc<Host>,
}

impl World {
    /// A place whose model takes its script from the user's messages.
    pub(crate) fn new() -> Self {
        Self::with_model(Arc::new(ScriptedModel::from_messages()))
    }

    pub(crate) fn with_model(model: Arc<ScriptedModel>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("project")).unwrap();
        let host = Host::new(env(dir.path()))
            .keeping_in(dir.path().join("conversations"))
            .with_model(model);
        Self {
            dir,
            host: Arc::new(host),
        }
    }

    pub(crate) fn config(&self) -> ConversationConfig {
        ConversationConfig::new(agent(), self.dir.path().join("project"))
    }

    pub(crate) async fn begin(&self) -> Conversation {
        Conversation::create(&self.host, self.config())
            .await
            .unwrap()
    }
}

/// The environment of this process, with a home in which nothing is set up: what a shell does when it starts must not
/// depend on whose machine it is.
pub(crate) fn env(home: &Path) -> Vec<(String, String)> {
    let own = [
        ("HOME".to_owned(), home.display().to_string()),
        // The same sub-agents are offered on every machine.
        (
            "OH_BROWSER_EXECUTABLE".to_owned(),
            home.join("no-browser").display().to_string(),
        ),
    ];
    let others = std::env::vars().filter(|(name, _)| own.iter().all(|(known, _)| known != name));
    others.chain(own.clone()).collect()
}

/// The agent of the recordings.
pub(crate) fn agent() -> Agent {
    serde_json::from_value(json!({
        "llm": {"model": "openai/mock", "usage_id": "agent"},
        "tools": [{"name": "terminal"}, {"name": "file_editor"}],
    }))
    .unwrap()
}

pub(crate) fn user(text: &str) -> Message {
    Message::text(Role::User, text)
}

/// A message that holds the script of the answers to it.
#[allow(clippy::needless_pass_by_value)] // it is written where it is passed
pub(crate) fn script(answers: serde_json::Value) -> Message {
    user(&format!("MOCK:{answers}"))
}

/// The kinds of all events, state updates with their key and, for the status, its value. Stats are left out: their
/// place is free.
pub(crate) async fn kinds(conversation: &Conversation) -> Vec<String> {
    let events = conversation.events().range(0..u64::MAX).await.unwrap();
    events
        .iter()
        .filter_map(|stored| kind(stored.event()))
        .collect()
}

pub(crate) fn kind(event: &Event) -> Option<String> {
    Some(match event {
        Event::StateUpdate(update) if update.key == "stats" => return None,
        Event::StateUpdate(update) if update.key == "execution_status" => {
            format!("S({})", update.value.as_str().unwrap())
        }
        Event::StateUpdate(update) => format!("S({})", update.key),
        Event::Message(message) => format!("Message({:?})", message.header.source),
        Event::Action(action) => format!("Action({})", action.tool_name),
        other => other.kind().to_owned(),
    })
}

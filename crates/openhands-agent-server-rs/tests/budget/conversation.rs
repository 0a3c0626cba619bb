//! A conversation whose model plays a script: so many calls a run.

use std::path::Path;
use std::sync::Arc;

use openhands_sdk_rs::conversation::{Conversation, ConversationConfig, Host, RunEnd};
use openhands_sdk_rs::llm::ScriptedModel;
use openhands_sdk_rs::protocol::agent::Agent;
use openhands_sdk_rs::protocol::message::{Message, Role};
use serde_json::{Value, json};

/// A conversation that keeps its files in this directory, with a model that makes so many calls in each run.
pub(crate) async fn that_calls(
    directory: &Path,
    tools: &Value,
    call: impl Fn(u64) -> Value,
    runs: &[u64],
) -> Conversation {
    let host = host_that_calls(directory, call, runs);
    begin(&host, directory, tools).await
}

/// A host for conversations that keeps their files in this directory, with a model that makes so many calls in each run.
pub(crate) fn host_that_calls(
    directory: &Path,
    call: impl Fn(u64) -> Value,
    runs: &[u64],
) -> Arc<Host> {
    let mut replies = Vec::new();
    for calls in runs {
        replies.extend((0..*calls).map(|number| json!({"tools": [call(number)]})));
        replies.push("done".into());
    }
    let model = ScriptedModel::from_value(&replies.into()).unwrap();
    let host = Host::new(std::env::vars().collect())
        .keeping_in(directory.join("conversations"))
        .with_model(Arc::new(model));
    Arc::new(host)
}

/// A conversation of it.
pub(crate) async fn begin(host: &Arc<Host>, directory: &Path, tools: &Value) -> Conversation {
    let agent: Agent =
        serde_json::from_value(json!({"llm": {"model": "openai/none"}, "tools": tools})).unwrap();
    let mut config = ConversationConfig::new(agent, directory);
    config.max_iterations = i64::MAX;
    Conversation::create(host, config).await.unwrap()
}

/// The next run of the script.
pub(crate) async fn run(conversation: &Conversation) {
    conversation
        .send_message(Message::text(Role::User, "go"))
        .await
        .unwrap();
    assert_eq!(conversation.run_to_end().await.unwrap(), RunEnd::Finished);
}

//! Sub-agents: the task and delegate tools, and agents for hooks.

mod ends;
mod hook_agents;
mod inherited;
mod together;

use std::path::{Path, PathBuf};
use std::time::Duration;

use openhands_sdk_rs::conversation::{Conversation, ConversationConfig, RunEnd};
use openhands_sdk_rs::protocol::Event;
use openhands_sdk_rs::protocol::agent::{Agent, AgentDefinition};
use openhands_sdk_rs::protocol::conversation::ConversationState;
use openhands_sdk_rs::protocol::message::Content;
use openhands_sdk_rs::protocol::tool::{Observation, Tool};
use serde_json::{Value, json};

use crate::world::{World, agent, script};

/// An agent that can start sub-agents.
pub(crate) fn boss(tools: &[&str]) -> Agent {
    Agent {
        tools: tools.iter().map(|name| Tool::new(*name)).collect(),
        tool_concurrency_limit: 4,
        ..agent()
    }
}

pub(crate) fn mock(answers: &Value) -> String {
    format!("MOCK:{answers}")
}

pub(crate) fn finish(message: &str) -> Value {
    json!({"tools": [{"name": "finish", "args": {"message": message}}]})
}

pub(crate) fn call(name: &str, args: &Value) -> Value {
    json!({"tools": [{"name": name, "args": args}]})
}

pub(crate) fn bash(command: &str) -> Value {
    call("terminal", &json!({"command": command}))
}

pub(crate) fn definition(name: &str, tools: &[&str]) -> AgentDefinition {
    AgentDefinition {
        name: name.to_owned(),
        tools: tools.iter().map(ToString::to_string).collect(),
        ..AgentDefinition::default()
    }
}

pub(crate) async fn begin(
    world: &World,
    agent: Agent,
    definitions: Vec<AgentDefinition>,
) -> Conversation {
    let mut config = ConversationConfig::new(agent, world.dir.path().join("project"));
    config.unsaved.agent_definitions = definitions;
    Conversation::create(&world.host, config).await.unwrap()
}

pub(crate) async fn play(conversation: &Conversation, answers: &Value) -> RunEnd {
    conversation
        .send_message(script(answers.clone()))
        .await
        .unwrap();
    conversation.run_to_end().await.unwrap()
}

/// What tools have answered, in order.
pub(crate) async fn observations(conversation: &Conversation) -> Vec<Observation> {
    let events = conversation.events().range(0..u64::MAX).await.unwrap();
    events
        .iter()
        .filter_map(|stored| match stored.event() {
            Event::Observation(event) => Some(event.observation.clone()),
            _ => None,
        })
        .collect()
}

/// The answers of the task tool: id, status and text.
pub(crate) async fn tasks(conversation: &Conversation) -> Vec<(String, String, String)> {
    let observations = observations(conversation).await;
    let tasks = observations.into_iter().filter_map(|it| match it {
        Observation::Task(task) => {
            assert_eq!(task.is_error, task.status == "error");
            let text = Content::join_text(&task.content);
            Some((task.task_id, task.status, text))
        }
        _ => None,
    });
    tasks.collect()
}

pub(crate) fn task(id: &str, status: &str, text: &str) -> (String, String, String) {
    (id.to_owned(), status.to_owned(), text.to_owned())
}

pub(crate) fn subagent_directories(world: &World, conversation: &Conversation) -> Vec<PathBuf> {
    let directory = world
        .dir
        .path()
        .join("conversations")
        .join(conversation.id().hex())
        .join("subagents");
    let mut found: Vec<PathBuf> = std::fs::read_dir(directory)
        .map(|entries| entries.map(|entry| entry.unwrap().path()).collect())
        .unwrap_or_default();
    found.sort();
    found
}

pub(crate) fn saved_state(directory: &Path) -> ConversationState {
    let text = std::fs::read(directory.join("base_state.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// All events of a conversation as they are on disk.
pub(crate) fn stored_events(directory: &Path) -> String {
    let files = std::fs::read_dir(directory.join("events")).unwrap();
    files
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "json"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect()
}

pub(crate) fn prompt_tokens(conversation: &Conversation, usage: &str) -> Option<i64> {
    conversation.state(|state| {
        let metrics = state.stats.usage_to_metrics.get(usage)?;
        Some(metrics.accumulated_token_usage.as_ref()?.prompt_tokens)
    })
}

/// Waits until something holds.
pub(crate) async fn until(what: &str, holds: impl Fn() -> bool) {
    let deadline = tokio::time::Instant::now() + Duration::from_mins(1);
    while !holds() {
        assert!(tokio::time::Instant::now() < deadline, "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

pub(crate) fn is_alive(pid: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    // A process that nobody has waited for yet is dead all the same.
    state.is_ok_and(|text| !text.contains(") Z "))
}

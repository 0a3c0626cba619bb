//! Skills: knowledge that comes when it is needed. `cargo run -p openhands-sdk-rs --example skills`.
//!
//! Three files of a project: `AGENTS.md` is always part of the system prompt; a skill with a trigger joins the message
//! in which its word occurs; a rule for paths joins the answer of the tool that touches such a path.
#![allow(clippy::print_stdout)] // an example prints

use std::path::Path;
use std::sync::Arc;

use openhands_sdk_rs::protocol::agent::AgentContext;
use openhands_sdk_rs::protocol::event::Source;
use openhands_sdk_rs::protocol::message::TextContent;
use openhands_sdk_rs::{
    Agent, Conversation, ConversationConfig, Event, Host, Llm, Message, ScriptedModel, Tool,
};
use serde_json::json;

const AGENTS: &str = "This project is a calendar. Weeks begin on Monday.\n";
const RELEASE: &str = "---
name: release
triggers: [release]
---
Releases are cut on Tuesdays, from the branch `stable`.
";
const DOCS: &str = "---
name: docs
paths: [\"docs/**\"]
---
Documentation uses short sentences.
";

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let workspace = tempfile::tempdir()?;
    write(workspace.path(), "AGENTS.md", AGENTS)?;
    write(workspace.path(), ".openhands/skills/release.md", RELEASE)?;
    write(workspace.path(), ".openhands/skills/docs.md", DOCS)?;

    let page = workspace.path().join("docs/release.md");
    let script = json!([
        {"tools": [{"name": "file_editor", "args": {
            "command": "create", "path": page, "file_text": "We release on Tuesdays.\n"}}]},
        "The page is written.",
    ]);
    let host = Host::new(std::env::vars().collect())
        .with_model(Arc::new(ScriptedModel::from_value(&script)?));
    let mut agent = Agent::new(Llm::default(), [Tool::new("file_editor")]);
    agent.agent_context = Some(AgentContext {
        load_project_skills: true,
        ..AgentContext::default()
    });
    let config = ConversationConfig::new(agent, workspace.path());
    let conversation = Conversation::create(&Arc::new(host), config).await?;
    let task = Message::user("Document when we release.");
    conversation.send_message(task).await?;
    conversation.run_to_end().await?;

    for stored in conversation.events().range(0..u64::MAX).await? {
        match stored.event() {
            Event::SystemPrompt(prompt) => {
                let context = prompt
                    .dynamic_context
                    .as_ref()
                    .map_or("", |part| &part.text);
                println!(
                    "AGENTS.md is in the system prompt: {}",
                    context.contains(AGENTS.trim())
                );
            }
            Event::Message(message) if message.header.source == Source::User => {
                println!(
                    "the message brought up: {}",
                    message.activated_skills.join(", ")
                );
                show(&message.extended_content);
            }
            Event::Observation(answer) if !answer.extended_content.is_empty() => {
                println!("the path brought up:");
                show(&answer.extended_content);
            }
            _ => {}
        }
    }
    println!("the agent: {}", conversation.final_response().await?);
    conversation.close().await?;
    Ok(())
}

fn show(parts: &[TextContent]) {
    for line in parts.iter().flat_map(|part| part.text.trim().lines()) {
        println!("  | {line}");
    }
}

fn write(root: &Path, name: &str, text: &str) -> std::io::Result<()> {
    let path = root.join(name);
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::write(path, text)
}

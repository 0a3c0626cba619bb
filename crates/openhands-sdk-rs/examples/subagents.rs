//! Sub-agents: an agent that has work done by others. `cargo run -p openhands-sdk-rs --example subagents`.
//!
//! The tool `task` starts a sub-agent: a conversation of its own, with its own log and shell, that ends with an answer.
//! There are built-in kinds, kinds in files of the project or the user, and kinds that a program defines, as here. The
//! two tasks of this example are given in one answer and work side by side.
#![allow(clippy::print_stdout)] // an example prints

use std::sync::Arc;

use openhands_sdk_rs::protocol::agent::AgentDefinition;
use openhands_sdk_rs::protocol::tool::Observation;
use openhands_sdk_rs::{
    Agent, Conversation, ConversationConfig, Event, Host, Llm, Message, ScriptedModel, Tool,
};
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let root = tempfile::tempdir()?;
    let workspace = root.path().join("project");
    std::fs::create_dir(&workspace)?;
    std::fs::write(workspace.join("a.txt"), "one two three\n")?;
    std::fs::write(workspace.join("b.txt"), "four five\n")?;

    // This model finds its script in the message that it answers, so that each agent has its own.
    let host = Host::new(std::env::vars().collect())
        .keeping_in(root.path().join("conversations"))
        .with_model(Arc::new(ScriptedModel::from_messages()));
    let mut agent = Agent::new(Llm::default(), [Tool::new("task_tool_set")]);
    agent.tool_concurrency_limit = 2;
    let mut config = ConversationConfig::new(agent, &workspace);
    config.unsaved.agent_definitions = vec![AgentDefinition {
        name: "counter".to_owned(),
        description: "Counts the words of one file.".to_owned(),
        tools: vec!["terminal".to_owned()],
        system_prompt: "You count words with wc and say the number.".to_owned(),
        ..AgentDefinition::default()
    }];
    let conversation = Conversation::create(&Arc::new(host), config).await?;

    let script = json!([
        {"text": "One counter for each file.", "tools": [count("a.txt", 3), count("b.txt", 2)]},
        "Together the files have five words.",
    ]);
    let task = format!("How many words are in a.txt and b.txt? MOCK:{script}");
    conversation.send_message(Message::user(task)).await?;
    conversation.run_to_end().await?;

    for stored in conversation.events().range(0..u64::MAX).await? {
        if let Event::Observation(event) = stored.event()
            && let Observation::Task(task) = &event.observation
        {
            let said = event.observation.text();
            println!("{}, {}: {said}", task.subagent, task.status);
        }
    }
    let spent = conversation.state(|state| state.stats.usage_to_metrics.clone());
    for (usage, metrics) in spent {
        println!("{usage}: {} calls of the model", metrics.token_usages.len());
    }
    println!("the agent: {}", conversation.final_response().await?);
    conversation.close().await?;
    Ok(())
}

/// A task for a counter, with the script of its model.
fn count(file: &str, words: usize) -> Value {
    let script = json!([
        {"tools": [{"name": "terminal", "args": {"command": format!("wc -w {file}")}}]},
        {"tools": [{"name": "finish", "args": {"message": format!("{file} has {words} words")}}]},
    ]);
    let prompt = format!("Count the words of {file}. MOCK:{script}");
    json!({"name": "task", "args": {
        "description": format!("count {file}"), "prompt": prompt, "subagent_type": "counter"}})
}

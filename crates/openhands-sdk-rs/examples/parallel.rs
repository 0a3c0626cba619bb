//! Parallel conversations: many agents in one process. `cargo run -p openhands-sdk-rs --example parallel [COUNT]`.
//!
//! Conversations share a host and nothing else: each has its own shell, log and state. None has a thread of its own, so
//! a thousand are no problem. Inside one conversation `tool_concurrency_limit` lets calls run side by side too.
#![allow(clippy::print_stdout)] // an example prints

use std::sync::Arc;
use std::time::Instant;

use openhands_sdk_rs::{
    Agent, Conversation, ConversationConfig, Host, Llm, Message, RunEnd, ScriptedModel, Tool,
};
use serde_json::json;
use tokio::task::JoinSet;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let count: usize = std::env::args().nth(1).map_or(Ok(8), |text| text.parse())?;
    let root = tempfile::tempdir()?;
    // This model finds its script in the user's message, so that each conversation has its own.
    let host = Arc::new(
        Host::new(std::env::vars().collect())
            .keeping_in(root.path().join("conversations"))
            .with_model(Arc::new(ScriptedModel::from_messages())),
    );
    let begun = Instant::now();
    let mut all = JoinSet::new();
    for number in 1..=count {
        let workspace = root.path().join(format!("workspace-{number}"));
        std::fs::create_dir(&workspace)?;
        let host = Arc::clone(&host);
        all.spawn(async move {
            let agent = Agent::new(Llm::default(), [Tool::new("terminal")]);
            let config = ConversationConfig::new(agent, workspace);
            let conversation = Conversation::create(&host, config).await?;
            let script = json!([
                {"tools": [{"name": "terminal", "args": {
                    "command": format!("sleep 1; echo {number} squared is $(({number} * {number}))")}}]},
                {"tools": [{"name": "finish", "args": {"message": format!("number {number} is done")}}]},
            ]);
            let task = format!("Square {number}. MOCK:{script}");
            conversation.send_message(Message::user(task)).await?;
            let end = conversation.run_to_end().await?;
            let answer = conversation.final_response().await?;
            conversation.close().await?;
            anyhow::Ok((end, answer))
        });
    }
    let mut finished = 0;
    while let Some(done) = all.join_next().await {
        let (end, answer) = done??;
        finished += usize::from(end == RunEnd::Finished);
        println!("{answer}");
    }
    println!(
        "{finished} of {count} conversations, each with a command of one second, took {:.1} s together",
        begun.elapsed().as_secs_f64()
    );
    Ok(())
}

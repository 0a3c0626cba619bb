//! Streaming: words and output as they are made. `cargo run -p openhands-sdk-rs --example streaming`.
//!
//! A subscription gives the stored events in order, and between them what is never stored: pieces of an answer that
//! is still being written, and output of tools that still run. A watcher that is slow never slows the agent.
#![allow(clippy::print_stdout)] // an example prints

use std::io::Write as _;
use std::sync::Arc;

use openhands_sdk_rs::{
    Agent, Conversation, ConversationConfig, Event, Host, Live, Llm, Message, ScriptedModel, Tool,
    Update,
};
use serde_json::json;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let script = json!([
        {"text": "I count slowly, so that you can watch.", "tools": [{"name": "terminal", "args": {
            "command": "for n in 1 2 3; do echo count $n; sleep 0.3; done"}}]},
        {"text": "There you are: three numbers, each shown the moment it was printed."},
    ]);
    let host = Host::new(std::env::vars().collect())
        .with_model(Arc::new(ScriptedModel::from_value(&script)?));
    let workspace = tempfile::tempdir()?;
    let llm = Llm {
        stream: true,
        ..Llm::default()
    };
    let agent = Agent::new(llm, [Tool::new("terminal")]);
    let config = ConversationConfig::new(agent, workspace.path());
    let conversation = Conversation::create(&Arc::new(host), config).await?;

    let mut watcher = conversation.subscribe(0);
    conversation
        .send_and_run(Message::user("Count to three."))
        .await?;
    let (mut pieces, mut chunks) = (0, 0);
    while let Some(update) = watcher.next().await? {
        match update {
            Update::Live(Live::Delta { content, .. }) => {
                pieces += 1;
                print!("{content}");
                std::io::stdout().flush()?;
            }
            Update::Live(Live::Output { chunk, .. }) => {
                chunks += 1;
                print!("{}", String::from_utf8_lossy(&chunk));
            }
            Update::Live(_) => {}
            Update::Event(stored) => match stored.event() {
                Event::Action(action) => println!("\n[{} begins]", action.tool_name),
                Event::Observation(answer) => println!("[{} ended]", answer.tool_name),
                // The last word of a run that went well.
                Event::StateUpdate(update) if update.value.as_str() == Some("finished") => break,
                _ => {}
            },
        }
    }
    println!("\n{pieces} pieces of text and {chunks} of output came while they were made");
    conversation.close().await?;
    Ok(())
}

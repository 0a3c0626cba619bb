//! Persistence and resume: a process dies, the next one goes on. `cargo run -p openhands-sdk-rs --example resume`.
//!
//! Every event is on disk before anybody sees it. This example starts itself as a worker, which is killed (SIGKILL) in
//! the middle of a command, and then takes up the conversation: the command that was cut off has an answer that says so,
//! and the agent goes on from there.
#![allow(clippy::print_stdout)] // an example prints

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use openhands_sdk_rs::{
    Agent, Conversation, ConversationConfig, ConversationId, Event, Host, Live, Llm, Message,
    ScriptedModel, Tool, Update,
};
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    match (args.next(), args.next()) {
        (Some(root), Some(id)) => work_until_killed(Path::new(&root), id.parse()?).await,
        _ => watch_it_die_and_go_on().await,
    }
}

fn host(root: &Path, script: &Value) -> anyhow::Result<Arc<Host>> {
    let host = Host::new(std::env::vars().collect())
        .keeping_in(root.join("conversations"))
        .with_model(Arc::new(ScriptedModel::from_value(script)?));
    Ok(Arc::new(host))
}

/// The first process: it never comes to its end.
async fn work_until_killed(root: &Path, id: ConversationId) -> anyhow::Result<()> {
    let script = json!([{"tools": [{"name": "terminal", "args": {"command": "echo one half > work.txt; cat work.txt; sleep 600"}}]}]);
    let agent = Agent::new(Llm::default(), [Tool::new("terminal")]);
    let mut config = ConversationConfig::new(agent, root);
    config.id = id;
    let conversation = Conversation::create(&host(root, &script)?, config).await?;
    let mut watcher = conversation.subscribe(0);
    let task = Message::user("Write both halves into work.txt.");
    conversation.send_and_run(task).await?;
    while let Some(update) = watcher.next().await? {
        if let Update::Live(Live::Output { .. }) = update {
            println!("the command has written one half");
        }
    }
    bail!("the conversation was closed")
}

/// The second process.
async fn watch_it_die_and_go_on() -> anyhow::Result<()> {
    let root = tempfile::tempdir()?;
    let id = ConversationId::random();
    let mut worker = tokio::process::Command::new(std::env::current_exe()?)
        .arg(root.path())
        .arg(id.to_string())
        .stdout(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let out = worker.stdout.take().context("the worker has no output")?;
    let mut lines = tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(out));
    let said = lines
        .next_line()
        .await?
        .context("the worker said nothing")?;
    println!("worker {}: {said}", worker.id().unwrap_or_default());
    worker.kill().await?;
    println!("it was killed: {}", worker.wait().await?);

    let script = json!([
        {"tools": [{"name": "terminal", "args": {"command": "echo the other half >> work.txt; cat work.txt"}}]},
        "Both halves are there.",
    ]);
    let conversation = Conversation::open(&host(root.path(), &script)?, id).await?;
    println!(
        "taken up: {} events, status {}",
        conversation.events().len(),
        conversation.status().as_str()
    );
    conversation.run_to_end().await?;
    for stored in conversation.events().range(0..u64::MAX).await? {
        match stored.event() {
            Event::Action(call) => println!("call: {}", call.tool_call.arguments),
            Event::Observation(answer) => println!("answer: {}", answer.observation.text().trim()),
            Event::AgentError(cut_off) => println!("answer: {}", cut_off.error),
            _ => {}
        }
    }
    println!("the agent: {}", conversation.final_response().await?);
    conversation.close().await?;
    Ok(())
}

//! Confirmation: risky actions wait until somebody has decided. `cargo run -p openhands-sdk-rs --example confirmation`.
//!
//! An analyzer says how risky each action is, the policy says which risks wait. This program is a careful user: it
//! lets nobody delete more than what is named.
#![allow(clippy::print_stdout)] // an example prints

use std::sync::Arc;

use openhands_sdk_rs::protocol::security::{
    ConfirmRisky, ConfirmationPolicy, PatternSecurityAnalyzer, SecurityAnalyzer,
};
use openhands_sdk_rs::protocol::tool::Action;
use openhands_sdk_rs::{
    Agent, Conversation, ConversationConfig, Decision, Event, Host, Llm, Message, RunEnd,
    ScriptedModel, Tool,
};
use serde_json::json;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let workspace = tempfile::tempdir()?;
    std::fs::write(workspace.path().join("notes.txt"), "remember\n")?;
    std::fs::create_dir(workspace.path().join("cache"))?;
    let script = json!([
        {"text": "Let me look.", "tools": [{"name": "terminal", "args": {"command": "ls"}}]},
        {"text": "Away with all of it.", "tools": [{"name": "terminal", "args": {"command": "rm -rf *"}}]},
        {"text": "Then only the cache.", "tools": [{"name": "terminal", "args": {"command": "rm -rf cache"}}]},
        "The cache is gone, your notes are not.",
    ]);
    let host = Host::new(std::env::vars().collect())
        .with_model(Arc::new(ScriptedModel::from_value(&script)?));
    let agent = Agent::new(Llm::default(), [Tool::new("terminal")]);
    let mut config = ConversationConfig::new(agent, workspace.path());
    config.security_analyzer = Some(SecurityAnalyzer::Pattern(PatternSecurityAnalyzer::default()));
    config.confirmation_policy = ConfirmationPolicy::Risky(ConfirmRisky::default());
    let conversation = Conversation::create(&Arc::new(host), config).await?;

    conversation
        .send_message(Message::user("Tidy up this directory."))
        .await?;
    let mut end = conversation.run_to_end().await?;
    while end == RunEnd::AwaitingConfirmation {
        let decision = decide(&conversation).await?;
        let is_rejected = decision != Decision::Accept;
        conversation.respond(decision).await?;
        // Accepting runs the agent; after a rejection it reads the reason when it is run again.
        if is_rejected {
            conversation.run().await?;
        }
        end = conversation.wait().await.unwrap_or(RunEnd::Idle);
    }
    println!("the agent: {}", conversation.final_response().await?);
    let left = std::fs::read_dir(workspace.path())?.map(|entry| Ok(entry?.file_name()));
    println!("left: {:?}", left.collect::<std::io::Result<Vec<_>>>()?);
    conversation.close().await?;
    Ok(())
}

/// What a person would be asked.
async fn decide(conversation: &Conversation) -> anyhow::Result<Decision> {
    let events = conversation.events().range(0..u64::MAX).await?;
    let judged = events.iter().rev().find_map(|stored| match stored.event() {
        Event::SecurityAnalysis(found) => Some(found),
        _ => None,
    });
    for stored in conversation.pending_actions().await? {
        let Event::Action(event) = stored.event() else {
            continue;
        };
        let Some(Action::Terminal(action)) = &event.action else {
            continue;
        };
        let risk = judged.and_then(|found| found.risks.get(stored.id()));
        let risk = risk.map_or("unknown", |risk| risk.as_str());
        println!("it wants to run `{}` (risk {risk})", action.command);
        if action.command.contains('*') {
            println!("  no: it does not say what");
            return Ok(Decision::Reject("Delete only what you name.".to_owned()));
        }
    }
    println!("  yes");
    Ok(Decision::Accept)
}

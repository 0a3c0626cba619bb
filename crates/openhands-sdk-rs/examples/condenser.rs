//! Condenser: a history that stays short. `cargo run -p openhands-sdk-rs --example condenser`.
//!
//! When the view of the model holds more events than it may, a model sums up the middle, and the summary takes its
//! place. The log keeps every event; only what the model is shown gets shorter.
#![allow(clippy::print_stdout)] // an example prints

use std::sync::Arc;

use openhands_sdk_rs::llm::ChatModel;
use openhands_sdk_rs::protocol::agent::{Condenser, LlmSummarizingCondenser};
use openhands_sdk_rs::{
    Agent, Conversation, ConversationConfig, Event, Host, Llm, Message, ScriptedModel, Tool,
};
use serde_json::{Value, json};

const STEPS: usize = 12;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut script: Vec<Value> = (1..=STEPS)
        .map(|n| json!({"tools": [{"name": "terminal", "args": {"command": format!("echo step {n}")}}]}))
        .collect();
    script.push(json!("All twelve steps are done."));
    let agent_model: Arc<dyn ChatModel> =
        Arc::new(ScriptedModel::from_value(&Value::from(script))?);
    let summaries = json!([{"text": "Some steps were run with echo; each printed its number.", "repeat": true}]);
    let summary_model: Arc<dyn ChatModel> = Arc::new(ScriptedModel::from_value(&summaries)?);

    let mut host = Host::new(std::env::vars().collect());
    // The condenser may have a model of its own, a cheaper one for instance.
    host.models = Arc::new(move |llm| {
        let is_condenser = llm.usage_id == "condenser";
        Ok(Arc::clone(if is_condenser {
            &summary_model
        } else {
            &agent_model
        }))
    });
    let mut agent = Agent::new(Llm::default(), [Tool::new("terminal")]);
    agent.condenser = Some(Condenser::LlmSummarizing(LlmSummarizingCondenser {
        llm: Box::new(Llm {
            usage_id: "condenser".to_owned(),
            ..Llm::default()
        }),
        max_size: 12,
        ..LlmSummarizingCondenser::default()
    }));
    let workspace = tempfile::tempdir()?;
    let config = ConversationConfig::new(agent, workspace.path());
    let conversation = Conversation::create(&Arc::new(host), config).await?;
    conversation
        .send_message(Message::user("Do twelve steps."))
        .await?;
    conversation.run_to_end().await?;

    let mut step = 0;
    for stored in conversation.events().range(0..u64::MAX).await? {
        match stored.event() {
            Event::Action(_) => step += 1,
            Event::Condensation(condensation) => println!(
                "after step {step}: {} events gave way to \"{}\"",
                condensation.forgotten_event_ids.len(),
                condensation.summary.as_deref().unwrap_or_default().trim()
            ),
            _ => {}
        }
    }
    let spent = conversation.state(|state| state.stats.usage_to_metrics.clone());
    for (usage, metrics) in spent {
        println!("{usage}: {} calls", metrics.token_usages.len());
    }
    println!(
        "in the log: {} events, none is lost",
        conversation.events().len()
    );
    println!("the agent: {}", conversation.final_response().await?);
    conversation.close().await?;
    Ok(())
}

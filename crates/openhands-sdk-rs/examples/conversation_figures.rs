//! What a step of the agent loop costs, and what many conversations cost.
//!
//! ```text
//! cargo run --release -p openhands-sdk-rs --example conversation_figures -- steps [EVENTS] [DIRECTORY]
//! cargo run --release -p openhands-sdk-rs --example conversation_figures -- many [CONVERSATIONS]
//! ```
//!
//! `steps` runs one conversation with a model that answers at once and a tool that does nothing. It shows the median
//! time from question to question at several lengths of the log, and the mean over a run of 30 steps with its start and end. `many` keeps conversations with a shell each in one process.
#![allow(clippy::print_stdout, clippy::cast_precision_loss)]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use futures_util::future::BoxFuture;
use futures_util::stream;
use openhands_sdk_rs::conversation::{Conversation, ConversationConfig, Host, RunEnd};
use openhands_sdk_rs::llm::{
    ChatModel, ChatRequest, LlmError, ModelFeatures, PartStream, ScriptedModel, StopReason,
    StreamPart, ToolCallDelta, Usage,
};
use openhands_sdk_rs::protocol::agent::Agent;
use openhands_sdk_rs::protocol::message::{Message, Role};
use openhands_sdk_rs::protocol::tool::{
    Action, Observation, ThinkAction, ThinkObservation, ToolSpec,
};
use openhands_sdk_rs::tools::arguments::InvalidArguments;
use openhands_sdk_rs::tools::{
    CallContext, Hints, Registration, Registry, ToolDefinition, ToolError, ToolExecutor, spec,
};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

fn main() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        Some("steps") => {
            let events = args.next().map_or(Ok(10_000), |text| text.parse())?;
            let directory = args
                .next()
                .map_or_else(|| PathBuf::from("/dev/shm"), PathBuf::from);
            runtime.block_on(steps(events, directory))
        }
        Some("many") => {
            let count = args.next().map_or(Ok(1_000), |text| text.parse())?;
            runtime.block_on(many(count))
        }
        Some(_) | None => bail!("say `steps` or `many`"),
    }
}

/// Time per step at several lengths of the log.
async fn steps(events: u64, directory: PathBuf) -> Result<()> {
    let dir = tempfile::tempdir_in(directory)?;
    let model = Arc::new(Prompt::default());
    let mut registry = Registry::empty();
    registry.register(
        "nothing",
        Registration::single(|_, _| Ok(Nothing::new()), |_, _| Ok(Nop), "nothing"),
    );
    let host = Host::new(std::env::vars().collect())
        .with_registry(registry)
        .keeping_in(dir.path())
        .with_model(Arc::clone(&model) as Arc<dyn ChatModel>);
    let agent: Agent = serde_json::from_value(
        json!({"llm": {"model": "openai/none"}, "tools": [{"name": "nothing"}]}),
    )?;
    let mut config = ConversationConfig::new(agent, dir.path());
    config.stuck_detection = true;
    config.max_iterations = i64::MAX;
    let conversation = Conversation::create(&Arc::new(host), config).await?;
    println!(
        "{:>8} {:>14} {:>18} {:>10}",
        "events", "ms per step", "with run start/end", "messages"
    );
    let mut at = 0;
    for target in [100, 1_000, 10_000, 100_000]
        .into_iter()
        .filter(|target| *target <= events)
    {
        // Up to the length, then a batch that is timed.
        let missing = (target - at) / 3;
        run(&conversation, &model, missing.saturating_sub(BATCH)).await?;
        model.asked.lock().clear();
        let begun = Instant::now();
        run(&conversation, &model, BATCH).await?;
        let all = begun.elapsed().as_secs_f64() * 1e3 / BATCH as f64;
        let per_step = model.median_step_ms();
        at = conversation.events().len();
        println!(
            "{at:>8} {per_step:>14.3} {all:>18.3} {:>10}",
            model.messages.load(Ordering::Relaxed)
        );
    }
    conversation.close().await?;
    Ok(())
}

const BATCH: u64 = 30;

async fn run(conversation: &Conversation, model: &Prompt, steps: u64) -> Result<()> {
    model.left.store(steps, Ordering::Relaxed);
    conversation
        .send_message(Message::text(Role::User, "go"))
        .await?;
    let end = conversation.run_to_end().await?;
    if end != RunEnd::Finished {
        bail!("the run ended with {end:?}");
    }
    Ok(())
}

/// Memory and threads of many conversations with a shell each.
async fn many(count: usize) -> Result<()> {
    let dir = tempfile::tempdir()?;
    // What the user's own shells do at their start is not what is measured.
    let home = ("HOME".to_owned(), dir.path().display().to_string());
    let others = std::env::vars().filter(|(name, _)| name != "HOME");
    let host = Host::new(others.chain([home]).collect())
        .keeping_in(dir.path().join("conversations"))
        .with_model(Arc::new(ScriptedModel::from_messages()));
    let host = Arc::new(host);
    let agent: Agent = serde_json::from_value(
        json!({"llm": {"model": "openai/none"}, "tools": [{"name": "terminal"}]}),
    )?;
    let before = status()?;
    let mut all = Vec::with_capacity(count);
    let begun = Instant::now();
    for number in 0..count {
        let conversation =
            Conversation::create(&host, ConversationConfig::new(agent.clone(), dir.path())).await?;
        let script = json!([{"tools": [{"name": "terminal", "args": {"command": format!("echo {number}")}}]}, "done"]);
        conversation
            .send_message(Message::text(Role::User, format!("MOCK:{script}")))
            .await?;
        if conversation.run_to_end().await? != RunEnd::Finished {
            bail!("conversation {number} did not finish");
        }
        all.push(conversation);
    }
    let took = begun.elapsed();
    let after = status()?;
    println!("{count} conversations with a shell each in {took:.1?}");
    println!(
        "process: {} kB before, {} kB with them ({:.1} kB each)",
        before.0,
        after.0,
        (after.0 - before.0) as f64 / count as f64
    );
    println!("threads: {} before, {} with them", before.1, after.1);
    let resting = Instant::now();
    for conversation in &all {
        conversation.rest().await;
    }
    println!(
        "at rest (shells given up, {:.1?}): {} kB",
        resting.elapsed(),
        status()?.0
    );
    Ok(())
}

/// Resident memory in kB, and threads, of this process.
fn status() -> Result<(u64, u64)> {
    let text = std::fs::read_to_string("/proc/self/status")?;
    let field = |name: &str| -> Result<u64> {
        let line = text
            .lines()
            .find(|line| line.starts_with(name))
            .context("no such field")?;
        Ok(line
            .split_whitespace()
            .nth(1)
            .context("no value")?
            .parse()?)
    };
    Ok((field("VmRSS:")?, field("Threads:")?))
}

/// A model that answers at once: so many calls, then an answer.
#[derive(Debug, Default)]
struct Prompt {
    left: AtomicU64,
    calls: AtomicU64,
    messages: AtomicU64,
    asked: parking_lot::Mutex<Vec<Instant>>,
    features: ModelFeatures,
}

impl Prompt {
    /// The middle one of the times between two questions.
    fn median_step_ms(&self) -> f64 {
        let asked = self.asked.lock();
        let mut times: Vec<f64> = asked
            .iter()
            .zip(asked.iter().skip(1))
            .map(|(one, next)| next.duration_since(*one).as_secs_f64() * 1e3)
            .collect();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or_default()
    }
}

impl ChatModel for Prompt {
    fn stream(
        &self,
        request: ChatRequest,
        _: CancellationToken,
    ) -> BoxFuture<'_, Result<PartStream, LlmError>> {
        self.messages
            .store(request.messages.len() as u64, Ordering::Relaxed);
        self.asked.lock().push(Instant::now());
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let left = self.left.load(Ordering::Relaxed);
        let mut parts = vec![StreamPart::Usage(Usage::default())];
        if left == 0 {
            parts.push(StreamPart::Text("done".to_owned()));
            parts.push(StreamPart::End(StopReason::Completed));
        } else {
            self.left.store(left - 1, Ordering::Relaxed);
            parts.push(StreamPart::ToolCall(ToolCallDelta {
                id: Some(format!("call_{call}")),
                name: Some("nothing".to_owned()),
                arguments: format!("{{\"thought\": \"{call}\"}}"),
                ..ToolCallDelta::default()
            }));
            parts.push(StreamPart::End(StopReason::ToolCalls));
        }
        Box::pin(async { Ok(Box::pin(stream::iter(parts.into_iter().map(Ok))) as PartStream) })
    }

    fn features(&self) -> &ModelFeatures {
        &self.features
    }
}

struct Nothing(ToolSpec);

impl Nothing {
    fn new() -> Self {
        let hints = Hints {
            read_only: true,
            destructive: false,
            idempotent: true,
            open_world: false,
        };
        let schema = json!({"type": "object", "properties": {"thought": {"type": "string"}}});
        Self(spec("nothing", "Think", "Does nothing.", hints, schema))
    }
}

impl ToolDefinition for Nothing {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        let thought = arguments
            .get("thought")
            .and_then(Value::as_str)
            .unwrap_or_default();
        Ok(Action::Think(ThinkAction {
            thought: thought.to_owned(),
            ..ThinkAction::default()
        }))
    }
}

struct Nop;

impl ToolExecutor for Nop {
    fn execute(&self, _: Action, _: CallContext) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async { Ok(Observation::Think(ThinkObservation::with_text("ok"))) })
    }
}

//! A tool of your own: `cargo run -p openhands-sdk-rs --example custom_tool`.
//!
//! A tool has two halves. The definition is pure: it tells the model what there is and turns arguments into an action.
//! The executor acts; here it takes bolts from a stock that belongs to the program itself.
#![allow(clippy::print_stdout)] // an example prints

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use futures_util::future::BoxFuture;
use openhands_sdk_rs::protocol::RawUnion;
use openhands_sdk_rs::protocol::tool::{Action, Observation, ToolSpec};
use openhands_sdk_rs::tools::arguments::{Arguments, InvalidArguments, integer_at_least};
use openhands_sdk_rs::tools::{
    CallContext, Hints, Registration, Registry, ToolDefinition, ToolError, ToolExecutor, spec,
};
use openhands_sdk_rs::{
    Agent, Conversation, ConversationConfig, Host, Llm, Message, ScriptedModel, Tool,
};
use serde_json::{Map, Value, json};

/// What the model is told, and how its arguments are read.
struct TakeTool(ToolSpec);

const HINTS: Hints = Hints {
    read_only: false,
    destructive: true,
    idempotent: false,
    open_world: false,
};

impl ToolDefinition for TakeTool {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn decode(&self, given: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        let mut arguments = Arguments::new(given);
        let count = arguments.required("count", integer_at_least(1));
        arguments.finish()?;
        let members = Map::from_iter([("count".to_owned(), count.into())]);
        Ok(Action::Unknown(RawUnion::new(
            "kind",
            "TakeAction",
            members,
        )))
    }
}

/// What a call does.
struct Take(Arc<AtomicI64>);

impl ToolExecutor for Take {
    fn execute(
        &self,
        action: Action,
        _: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            let Action::Unknown(order) = &action else {
                return Err(ToolError::wrong_action("take", &action));
            };
            let count = order
                .body()
                .get("count")
                .and_then(Value::as_i64)
                .unwrap_or_default();
            let taken = self.0.fetch_update(Relaxed, Relaxed, |left| {
                (left >= count).then(|| left - count)
            });
            // An error is an answer too: the model reads it and thinks again.
            let before =
                taken.map_err(|left| ToolError::Failed(format!("there are only {left}")))?;
            let said = format!("took {count}, {} are left", before - count);
            println!("the tool: {said}");
            let content = json!([{"type": "text", "text": said}]);
            let members = Map::from_iter([("content".to_owned(), content)]);
            Ok(Observation::Unknown(RawUnion::new(
                "kind",
                "TakeObservation",
                members,
            )))
        })
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let stock = Arc::new(AtomicI64::new(10));
    let shared = Arc::clone(&stock);
    let equip = move |_: &_, _: &_| Ok(Take(Arc::clone(&shared)));
    let count = json!({"type": "integer", "minimum": 1, "description": "How many."});
    let schema = json!({"type": "object", "properties": {"count": count}, "required": ["count"]});
    let told = spec("take", "Take", "Takes bolts from the stock.", HINTS, schema);
    let define = move |_: &_, _: &_| Ok(TakeTool(told.clone()));
    let mut registry = Registry::standard();
    registry.register("take", Registration::single(define, equip, "take"));
    let script = json!([
        {"text": "Eight, and then four.", "tools": [
            {"name": "take", "args": {"count": 8}},
            {"name": "take", "args": {"count": 4}},
        ]},
        "I have eight bolts. Of the other four there are only two.",
    ]);
    let host = Host::new(std::env::vars().collect())
        .with_registry(registry)
        .with_model(Arc::new(ScriptedModel::from_value(&script)?));
    let agent = Agent::new(Llm::default(), [Tool::new("take")]);
    let config = ConversationConfig::new(agent, std::env::current_dir()?);
    let conversation = Conversation::create(&Arc::new(host), config).await?;
    conversation
        .send_message(Message::user("Get me twelve bolts."))
        .await?;
    conversation.run_to_end().await?;
    println!("the agent: {}", conversation.final_response().await?);
    println!("left in stock: {}", stock.load(Relaxed));
    conversation.close().await?;
    Ok(())
}

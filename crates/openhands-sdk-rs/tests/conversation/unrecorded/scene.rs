//! A place with a model that can be held back, and with tools that hold on, fail or fall over.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use openhands_sdk_rs::conversation::{Conversation, ConversationConfig, Host};
use openhands_sdk_rs::protocol::Event;
use openhands_sdk_rs::protocol::tool::{Action, ClientToolObservation, Observation, ToolSpec};
use openhands_sdk_rs::tools::arguments::InvalidArguments;
use openhands_sdk_rs::tools::{
    CallContext, Hints, Locks, Registration, Registry, ToolDefinition, ToolError, ToolExecutor,
    spec,
};
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use crate::replay::stage::Stage;
use crate::replay::table::{NONE, Part};
use crate::world::kinds;

/// How long something is waited for that must come.
pub(crate) const DEADLINE: Duration = Duration::from_mins(1);

/// The model answers at once.
pub(crate) static PROMPT: Part = NONE;
/// The model's first answer waits to be let go.
pub(crate) static FIRST_HELD: Part = Part { held: &[1], ..NONE };

/// A place to hold a conversation.
pub(crate) struct Scene {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) host: Arc<Host>,
    pub(crate) stage: Stage,
    /// Lets the tools named `hold` end.
    pub(crate) let_go: watch::Sender<bool>,
}

impl Scene {
    pub(crate) fn new(part: &'static Part) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("project")).unwrap();
        let stage = Stage::new();
        let let_go = watch::Sender::new(false);
        let host = stage.host_with(part, &dir.path().join("conversations"), registry(&let_go));
        Self {
            dir,
            host: Arc::new(host),
            stage,
            let_go,
        }
    }

    pub(crate) fn config(&self) -> ConversationConfig {
        let agent = serde_json::from_value(json!({
            "llm": {"model": "openai/mock", "usage_id": "agent"},
            "tools": [{"name": "hold"}, {"name": "note"}, {"name": "fall"}, {"name": "stumble"}, {"name": "break"}],
        }));
        ConversationConfig::new(agent.unwrap(), self.dir.path().join("project"))
    }

    pub(crate) async fn begin(&self) -> Conversation {
        self.begin_with(|_| {}).await
    }

    pub(crate) async fn begin_with(
        &self,
        change: impl FnOnce(&mut ConversationConfig),
    ) -> Conversation {
        let mut config = self.config();
        change(&mut config);
        Conversation::create(&self.host, config).await.unwrap()
    }

    /// What the model was told in its request of this number, in short.
    pub(crate) fn told(&self, request: usize) -> Vec<String> {
        let requests = self.stage.requests.lock();
        let messages = requests[request].messages.iter().skip(1);
        messages
            .map(|message| {
                let text: Vec<_> = message
                    .content
                    .iter()
                    .filter_map(|part| part.as_text())
                    .collect();
                let calls = message.tool_calls.iter().flatten();
                let calls: Vec<_> = calls.map(|call| call.name.as_str()).collect();
                format!("{}:{}{}", message.role, text.join("|"), calls.join(","))
            })
            .collect()
    }
}

/// A message in which a tool is called and then something is said.
pub(crate) fn calls(tools: &[&str], then: &str) -> openhands_sdk_rs::protocol::message::Message {
    let tools: Vec<Value> = tools
        .iter()
        .map(|name| json!({"name": name, "args": {}}))
        .collect();
    crate::world::script(json!([{"tools": tools}, then]))
}

/// Waits until the log holds an event of a kind, so many times.
pub(crate) async fn until(conversation: &Conversation, kind: &str, count: usize) {
    let mut events = conversation.events().cursor(0);
    let mut seen = 0;
    let wait = async {
        while seen < count {
            let stored = events.next().await.unwrap().unwrap();
            if crate::world::kind(stored.event()).as_deref() == Some(kind) {
                seen += 1;
            }
        }
    };
    tokio::time::timeout(DEADLINE, wait)
        .await
        .unwrap_or_else(|_| panic!("{kind} did not come"));
}

/// Waits for the end of the run.
pub(crate) async fn ended(conversation: &Conversation) -> openhands_sdk_rs::conversation::RunEnd {
    let end = tokio::time::timeout(DEADLINE, conversation.wait()).await;
    end.expect("the run ends").unwrap()
}

/// The kinds of the log after the message that began it.
pub(crate) async fn kinds_of_run(conversation: &Conversation) -> Vec<String> {
    let mut kinds = kinds(conversation).await;
    for kind in &mut kinds {
        // What it says is looked at elsewhere.
        if kind.starts_with("AgentError") {
            "AgentError".clone_into(kind);
        }
    }
    let begin = kinds.iter().position(|kind| kind == "S(running)").unwrap();
    kinds.split_off(begin + 1)
}

/// Every action has exactly one result.
pub(crate) async fn assert_answered_once(conversation: &Conversation) {
    let events = conversation.events().range(0..u64::MAX).await.unwrap();
    let mut results: HashMap<String, usize> = HashMap::new();
    let mut actions = Vec::new();
    for stored in &events {
        let call = match stored.event() {
            Event::Action(action) => {
                actions.push(action.tool_call_id.to_string());
                continue;
            }
            Event::Observation(event) => &event.tool_call_id,
            Event::AgentError(event) => &event.tool_call_id,
            Event::UserReject(event) => &event.tool_call_id,
            _ => continue,
        };
        *results.entry(call.to_string()).or_default() += 1;
    }
    for action in &actions {
        assert_eq!(results.get(action), Some(&1), "{action} of {actions:?}");
    }
    assert_eq!(results.len(), actions.len());
}

/// The texts of errors and rejections, in order.
pub(crate) async fn refusals(conversation: &Conversation) -> Vec<String> {
    let events = conversation.events().range(0..u64::MAX).await.unwrap();
    let texts = events.iter().filter_map(|stored| match stored.event() {
        Event::AgentError(event) => Some(event.error.clone()),
        Event::UserReject(event) => Some(event.rejection_reason.clone()),
        _ => None,
    });
    texts.collect()
}

fn registry(let_go: &watch::Sender<bool>) -> Registry {
    let mut registry = Registry::standard();
    for (name, manner) in [
        ("hold", Manner::Hold),
        ("note", Manner::Note),
        ("fall", Manner::Fall),
        ("stumble", Manner::Stumble),
        ("break", Manner::Break),
    ] {
        let let_go = let_go.clone();
        registry.register(
            name,
            Registration::single(
                move |_, _| Ok(Odd::new(name, manner, None)),
                move |_, _| Ok(Odd::new(name, manner, Some(let_go.clone()))),
                name,
            ),
        );
    }
    registry
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Manner {
    /// Ends when it is let go or cancelled.
    Hold,
    /// Says that it was called.
    Note,
    /// Panics when it is executed.
    Fall,
    /// Panics when its arguments are read.
    Stumble,
    /// Fails beyond what the model could mend.
    Break,
}

/// Both halves of a tool of an unusual manner.
struct Odd {
    spec: ToolSpec,
    manner: Manner,
    let_go: Option<watch::Sender<bool>>,
}

impl Odd {
    fn new(name: &str, manner: Manner, let_go: Option<watch::Sender<bool>>) -> Self {
        let hints = Hints {
            read_only: false,
            destructive: false,
            idempotent: true,
            open_world: false,
        };
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        Self {
            spec: spec(name, "Client", "A tool for tests.", hints, schema),
            manner,
            let_go,
        }
    }
}

impl ToolDefinition for Odd {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        assert!(self.manner != Manner::Stumble, "stumbled");
        Ok(Action::client(&self.spec.name, arguments.clone()))
    }

    fn locks(&self, _: &Action) -> Locks {
        Locks::none()
    }
}

impl ToolExecutor for Odd {
    fn execute(&self, _: Action, cx: CallContext) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            match self.manner {
                Manner::Hold => {
                    let mut let_go = self.let_go.as_ref().unwrap().subscribe();
                    tokio::select! {
                        may = let_go.wait_for(|may| *may) => drop(may),
                        () = cx.cancel.cancelled() => return Err(ToolError::Cancelled),
                    }
                }
                Manner::Fall => panic!("fell over"),
                Manner::Break => return Err(ToolError::Fatal("broken beyond repair".into())),
                Manner::Note | Manner::Stumble => {}
            }
            let text = format!("{} done", self.spec.name);
            Ok(Observation::ClientTool(ClientToolObservation::with_text(
                text,
            )))
        })
    }
}

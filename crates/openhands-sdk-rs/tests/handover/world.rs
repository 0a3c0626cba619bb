//! A temporary place with conversations, a host of ours, and what both sides say about a conversation.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use openhands_sdk_rs::conversation::{Conversation, ConversationConfig, Host, RunEnd};
use openhands_sdk_rs::event_log::{LeaseOwner, StoredEvent};
use openhands_sdk_rs::llm::ScriptedModel;
use openhands_sdk_rs::protocol::agent::{Agent, AgentSpec};
use openhands_sdk_rs::protocol::message::{Message, Role};
use openhands_sdk_rs::protocol::secrets::SecretSource;
use openhands_sdk_rs::protocol::{ConversationId, Event, Secret};
use openhands_sdk_rs::secrets::Cipher;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::provider::{KEY, Provider};
use crate::reference::Reference;

/// What seals secrets on disk, on both sides.
const SECRET_KEY: &str = "the key that both servers have";
/// A secret of the conversation, and its value.
pub(crate) const SECRET: (&str, &str) = ("HANDED_OVER", "open sesame");

pub(crate) struct World {
    pub(crate) dir: TempDir,
    pub(crate) host: Arc<Host>,
    policy: &'static str,
    pub(crate) provider: Provider,
}

/// A host of ours that keeps conversations in a directory, as the owner of this name. That directory is also the home
/// of its shells: what a user's own start files do must not be killed half way, nor waited for.
pub(crate) fn host(directory: &Path, owner: &str) -> Host {
    let mut env: Vec<(String, String)> = std::env::vars().filter(|it| it.0 != "HOME").collect();
    env.push(("HOME".to_owned(), directory.display().to_string()));
    let mut host = Host::new(env)
        .keeping_in(directory)
        .with_model(Arc::new(ScriptedModel::from_messages()));
    host.cipher = Cipher::new(&Secret::from(SECRET_KEY), []);
    host.owner = Some(LeaseOwner::this_process(owner));
    host
}

impl World {
    /// A place whose conversations have this confirmation policy.
    pub(crate) async fn new(policy: &'static str) -> Self {
        let dir = TempDir::new().unwrap();
        std::fs::create_dir(dir.path().join("project")).unwrap();
        let host = host(&dir.path().join("conversations"), "ours");
        Self {
            dir,
            host: Arc::new(host),
            policy,
            provider: Provider::start().await,
        }
    }

    fn policy(&self) -> Value {
        json!({"kind": self.policy})
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.dir.path().join("reference.log")
    }

    pub(crate) fn events(&self, id: ConversationId) -> PathBuf {
        let conversations = self.dir.path().join("conversations");
        conversations.join(id.hex()).join("events")
    }

    /// The agent, for both sides. Its terminal is one that leaves nothing behind when the reference is killed.
    pub(crate) fn agent(&self) -> Value {
        json!({
            "kind": "Agent",
            "llm": {
                "model": "openai/mock", "usage_id": "agent", "base_url": self.provider.url, "api_key": KEY,
                "num_retries": 0, "timeout": 60,
            },
            "tools": [
                {"name": "terminal", "params": {"terminal_type": "subprocess"}},
                {"name": "file_editor"},
            ],
        })
    }

    pub(crate) fn config(&self) -> ConversationConfig {
        let agent: Agent = serde_json::from_value(self.agent()).unwrap();
        let mut config = ConversationConfig::new(agent, self.project());
        config.confirmation_policy = serde_json::from_value(self.policy()).unwrap();
        let secret: SecretSource =
            serde_json::from_value(json!({"kind": "StaticSecret", "value": SECRET.1})).unwrap();
        config.secrets.insert(SECRET.0.to_owned(), secret);
        config.tags.insert("team".to_owned(), "both".to_owned());
        config
    }

    pub(crate) async fn create(&self) -> Conversation {
        Conversation::create(&self.host, self.config())
            .await
            .unwrap()
    }

    pub(crate) async fn open(&self, id: ConversationId) -> Conversation {
        let conversation = Conversation::open(&self.host, id).await.unwrap();
        assert_eq!(conversation.events().problems(), []);
        conversation
    }

    /// What the reference needs to open a conversation. It keeps the policy outside of the state, and sets it anew.
    pub(crate) fn opening(&self, id: ConversationId) -> Value {
        json!({
            "directory": self.dir.path().join("conversations"), "id": id.hex(), "workspace": self.project(),
            "key": SECRET_KEY, "confirmation_policy": self.policy(),
        })
    }

    /// What the reference needs to begin a conversation.
    pub(crate) fn beginning(&self, id: ConversationId) -> Value {
        let mut opening = self.opening(id);
        let more = json!({
            "agent": self.agent(), "tags": {"team": "both"},
            "secrets": {SECRET.0: {"kind": "StaticSecret", "value": SECRET.1}},
        });
        let opening_members = opening.as_object_mut().unwrap();
        opening_members.extend(more.as_object().unwrap().clone());
        opening
    }

    /// Opens or begins a conversation in the reference, says something, lets the agent work, and gives what is known
    /// then.
    pub(crate) fn turn_there(reference: &mut Reference, opening: &Value, text: &str) -> Value {
        reference.ask("open", opening);
        reference.ask("message", &json!({"text": text}));
        let seen = reference.ask("look", &json!({}));
        reference.ask("close", &json!({}));
        seen
    }

    /// What the reference knows of a conversation when it has opened it.
    pub(crate) fn look_there(&self, reference: &mut Reference, id: ConversationId) -> Value {
        reference.ask("open", &self.opening(id));
        let seen = reference.ask("look", &json!({}));
        reference.ask("close", &json!({}));
        seen
    }

    /// The same here: opens, says something, works, looks, closes.
    pub(crate) async fn turn_here(&self, id: ConversationId, text: &str) -> Value {
        let conversation = self.open(id).await;
        say(&conversation, text).await;
        let seen = look(&conversation).await;
        conversation.close().await.unwrap();
        seen
    }

    /// The same here: opens, looks, closes.
    pub(crate) async fn look_here(&self, id: ConversationId) -> Value {
        let conversation = self.open(id).await;
        let seen = look(&conversation).await;
        conversation.close().await.unwrap();
        seen
    }
}

pub(crate) async fn say(conversation: &Conversation, text: &str) -> RunEnd {
    let message = Message::text(Role::User, text);
    conversation.send_message(message).await.unwrap();
    conversation.run_to_end().await.unwrap()
}

/// A message that holds the script of the answers to it.
pub(crate) fn script(answers: &Value) -> String {
    format!("MOCK:{answers}")
}

/// What our side knows of a conversation, in the words of the driver of the reference.
pub(crate) async fn look(conversation: &Conversation) -> Value {
    let log = conversation.events();
    let events = log.range(0..u64::MAX).await.unwrap();
    let branch = log.active_branch(None).await.unwrap();
    let rows: Vec<Value> = events
        .iter()
        .map(|stored| {
            let header = stored.event().header().unwrap();
            json!([stored.id(), header.parent_id, stored.event().kind()])
        })
        .collect();
    let branch_ids: Vec<_> = branch.iter().map(|stored| stored.id()).collect();
    let pending: Vec<_> = branch
        .iter()
        .filter(|stored| results_of(stored.event(), &branch) == Some(0))
        .map(|stored| stored.id())
        .collect();
    let marker = conversation.state(|state| {
        let directory = Path::new(state.persistence_dir.as_ref().unwrap()).join("events");
        log.is_empty()
            || directory
                .join(format!(".eventlog-len-{}.marker", log.len()))
                .exists()
    });
    conversation.state(|state| {
        let stats: serde_json::Map<String, Value> = state
            .stats
            .usage_to_metrics
            .iter()
            .map(|(usage, metrics)| {
                let sum = metrics.accumulated_token_usage.as_ref();
                let sums = sum.map_or((0, 0), |sum| (sum.prompt_tokens, sum.completion_tokens));
                (usage.clone(), json!([metrics.token_usages.len(), sums.0, sums.1]))
            })
            .collect();
        let secrets: serde_json::Map<String, Value> = state
            .secret_registry
            .secret_sources
            .iter()
            .map(|(name, source)| (name.clone(), json!(value_of(source))))
            .collect();
        let key = match &state.agent {
            AgentSpec::Agent(agent) => {
                agent.llm.api_key.as_ref().and_then(|key| key.expose())
            }
            other => panic!("{other:?}"),
        };
        json!({
            "status": state.execution_status, "head_is_empty": state.head_is_empty, "events": rows,
            "branch": branch_ids, "pending": pending, "stats": stats, "secrets": secrets, "api_key": key,
            "tags": state.tags, "policy": state.confirmation_policy.kind(), "marker": marker,
        })
    })
}

fn value_of(source: &SecretSource) -> Option<&str> {
    match source {
        SecretSource::Static(secret) => secret.value.as_ref().and_then(|value| value.expose()),
        other => panic!("{other:?}"),
    }
}

/// How many results an action has among events; none for what is no action that can be executed.
pub(crate) fn results_of(event: &Event, events: &[Arc<StoredEvent>]) -> Option<usize> {
    let Event::Action(action) = event else {
        return None;
    };
    action.action.as_ref()?;
    let is_result = |event: &Event| match event {
        Event::Observation(result) => result.action_id == action.header.id,
        Event::UserReject(result) => result.action_id == action.header.id,
        Event::AgentError(result) => result.tool_call_id == action.tool_call_id,
        _ => false,
    };
    Some(
        events
            .iter()
            .filter(|stored| is_result(stored.event()))
            .count(),
    )
}

/// Waits for something that another process does.
pub(crate) fn until(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_mins(2);
    while !holds() {
        assert!(Instant::now() < deadline, "{what} did not happen");
        std::thread::yield_now();
    }
}

//! Where a recording is played: a host with real tools and a scripted model that waits when it is told to.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::BoxFuture;
use openhands_sdk_rs::conversation::{Host, RuntimeRequest};
use openhands_sdk_rs::llm::{
    ChatModel, ChatRequest, LlmError, ModelFeatures, PartStream, ScriptedModel,
};
use openhands_sdk_rs::protocol::message::{Content, Message, Role};
use openhands_sdk_rs::protocol::tool::{Action, Observation};
use openhands_sdk_rs::runtime::{LocalRuntime, Runtime, RuntimeError, Workspace};
use openhands_sdk_rs::tools::{CallContext, Machine, Registry, ToolError};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::table::Part;
use super::watch::DEADLINE;

/// What the model and the tools are doing, and whether the model may answer.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    at_work: watch::Sender<usize>,
    may_answer: watch::Sender<bool>,
    /// What the model was asked, in order.
    pub(crate) requests: Arc<Mutex<Vec<ChatRequest>>>,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self {
            at_work: watch::Sender::new(0),
            may_answer: watch::Sender::new(false),
            requests: Arc::default(),
        }
    }

    /// Lets answers that are held back go, or holds them.
    pub(crate) fn let_answer(&self, may: bool) {
        self.may_answer.send_replace(may);
    }

    /// Waits until the model or a tool is at work.
    pub(crate) async fn busy(&self) {
        self.busy_with(1).await;
    }

    /// Waits until so many models and tools are at work.
    pub(crate) async fn busy_with(&self, wanted: usize) {
        let mut at_work = self.at_work.subscribe();
        let wait = at_work.wait_for(|count| *count >= wanted);
        tokio::time::timeout(DEADLINE, wait)
            .await
            .expect("something is at work")
            .unwrap();
    }

    /// A host whose conversations play this part.
    pub(crate) fn host(&self, part: &'static Part, conversations: &Path) -> Host {
        self.host_with(part, conversations, Registry::standard())
    }

    /// The same with other tools.
    pub(crate) fn host_with(
        &self,
        part: &'static Part,
        conversations: &Path,
        registry: Registry,
    ) -> Host {
        let env = crate::world::env(conversations);
        let model: Arc<dyn ChatModel> = Arc::new(Player::new(self.clone(), part));
        let stage = self.clone();
        let mut host = Host::new(env.clone())
            .keeping_in(conversations)
            .with_registry(registry.clone())
            .with_model(model);
        host.runtimes = Arc::new(move |request: RuntimeRequest| {
            let machine = Machine {
                place: request.place,
                env: env.clone(),
                ..Machine::default()
            };
            let inner = LocalRuntime::new(&registry, &request.tools, &machine);
            let stage = stage.clone();
            Box::pin(async move {
                let inner = inner?;
                Ok(Arc::new(Noticed { inner, stage }) as Arc<dyn Runtime>)
            })
        });
        host
    }

    fn begin(&self) -> AtWork {
        self.at_work.send_modify(|count| *count += 1);
        AtWork(self.at_work.clone())
    }
}

/// Counts as being at work until it is dropped.
struct AtWork(watch::Sender<usize>);

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

/// A runtime of which can be seen whether it is at work.
struct Noticed {
    inner: LocalRuntime,
    stage: Stage,
}

impl Runtime for Noticed {
    fn usable_tools(&self) -> BoxFuture<'_, Result<Vec<String>, RuntimeError>> {
        self.inner.usable_tools()
    }

    fn execute<'a>(
        &'a self,
        tool: &'a str,
        action: Action,
        cx: CallContext,
    ) -> BoxFuture<'a, Result<Observation, ToolError>> {
        let at_work = self.stage.begin();
        Box::pin(async move {
            let _at_work = at_work;
            self.inner.execute(tool, action, cx).await
        })
    }

    fn is_apart(&self) -> bool {
        self.inner.is_apart()
    }

    fn workspace(&self) -> &dyn Workspace {
        self.inner.workspace()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.inner.close()
    }
}

/// The scripted model, with what the recorded one knew beside the messages.
struct Player {
    inner: ScriptedModel,
    stage: Stage,
    part: &'static Part,
    asked: AtomicUsize,
    unscripted: AtomicUsize,
}

impl Player {
    fn new(stage: Stage, part: &'static Part) -> Self {
        let features = ModelFeatures {
            vision: false,
            ..ScriptedModel::from_messages().features().clone()
        };
        Self {
            inner: ScriptedModel::from_messages().with_features(features),
            stage,
            part,
            asked: AtomicUsize::new(0),
            unscripted: AtomicUsize::new(0),
        }
    }

    /// The request with the script that the recorded model had.
    fn scripted(&self, mut request: ChatRequest) -> ChatRequest {
        let has_script = request.messages.iter().any(|message| {
            message.role == Role::User && Content::join_text(&message.content).contains("MOCK:")
        });
        let answer = if request.tools.is_empty() {
            self.part.aside.map(|text| json!(text))
        } else if has_script {
            None
        } else {
            let script: Value = serde_json::from_str(self.part.unscripted).unwrap();
            let at = self.unscripted.fetch_add(1, Ordering::SeqCst);
            script.get(at).cloned()
        };
        if has_script {
            forget_older_scripts(&mut request);
        }
        if let Some(answer) = answer {
            let text = format!("MOCK:{}", json!([answer]));
            request.messages = vec![Message::text(Role::User, text).into()];
        }
        request
    }
}

/// Of messages that became one, the recorded model played the last script.
fn forget_older_scripts(request: &mut ChatRequest) {
    for message in &mut request.messages {
        let is_script = |part: &Content| part.as_text().is_some_and(|text| text.contains("MOCK:"));
        let Some(last) = message.content.iter().rposition(is_script) else {
            continue;
        };
        let mut kept = (**message).clone();
        kept.content.drain(..last);
        *message = kept.into();
    }
}

impl ChatModel for Player {
    fn stream(
        &self,
        request: ChatRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<PartStream, LlmError>> {
        let number = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        self.stage.requests.lock().push(request.clone());
        let request = self.scripted(request);
        let at_work = self.stage.begin();
        Box::pin(async move {
            let _at_work = at_work;
            if self.part.held.contains(&number) {
                let mut may_answer = self.stage.may_answer.subscribe();
                tokio::select! {
                    may = may_answer.wait_for(|may| *may) => drop(may),
                    () = cancel.cancelled() => return Err(LlmError::cancelled()),
                }
            }
            self.inner.stream(request, cancel).await
        })
    }

    fn features(&self) -> &ModelFeatures {
        self.inner.features()
    }
}

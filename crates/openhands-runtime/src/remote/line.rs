//! The way to an inner server: who it is at the moment, and asking again when a connection is lost.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use openhands_protocol::tool::Tool;
use openhands_protocol::{ConversationId, Secret, ToolCallId};
use openhands_tools::{OutputSink, Place};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::http::{Broken, Http, Question, Reply};
use crate::endpoint::{Endpoint, Endpoints};
use crate::hands::{CANCEL, CallMeta, CancelParams, Equipment, Exposed, Fault, HELLO, Hello};
use crate::runtime::RuntimeError;

/// How often a question is asked until somebody answers.
const MAX_TRIES: u32 = 8;
/// The first wait before another try; each next one is twice as long, up to the longest.
const FIRST_WAIT: Duration = Duration::from_millis(50);
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// A connection that lasted so long was a good one: losing it does not count with the tries before it.
const LASTED: Duration = Duration::from_secs(10);
/// For telling an inner server that a call is to end, and for the call to end then.
const CANCEL_LIMIT: Duration = Duration::from_secs(20);

/// Why a question has no answer, in words.
#[derive(Debug)]
pub(super) struct Unanswered(pub(super) String);

/// The way to the hands of one conversation.
pub(super) struct Line {
    endpoints: Arc<dyn Endpoints>,
    http: Result<Http, String>,
    conversation: ConversationId,
    equipment: Equipment,
    /// The server that answered last; none before the first, and after a connection was lost.
    peer: Mutex<Option<Arc<Peer>>>,
}

/// A server that has answered.
#[derive(Debug)]
struct Peer {
    endpoint: Endpoint,
    hello: Hello,
}

/// A call that must not run twice, with what it brings along.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) of_tool: Option<ToolCallId>,
    pub(super) env: Vec<(String, Secret)>,
    pub(super) output: OutputSink,
}

impl Call {
    /// A call with an id of its own.
    pub(super) fn new() -> Self {
        Self {
            id: Uuid::new_v4().to_string(),
            of_tool: None,
            env: Vec::new(),
            output: OutputSink::none(),
        }
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line")
            .field("conversation", &self.conversation)
            .field("equipment", &self.equipment)
            .finish_non_exhaustive()
    }
}

impl Line {
    pub(super) fn new(
        endpoints: Arc<dyn Endpoints>,
        conversation: ConversationId,
        tools: Vec<Tool>,
        place: Place,
        env: &[(String, Secret)],
    ) -> Self {
        Self {
            endpoints,
            http: Http::new().map_err(|error| error.to_string()),
            conversation,
            equipment: Equipment {
                tools,
                working_dir: place.working_dir,
                persistence_dir: place.persistence_dir,
                env: Exposed::all(env),
            },
            peer: Mutex::default(),
        }
    }

    /// The tools of the inner server.
    pub(super) async fn tools(&self) -> Result<Vec<String>, RuntimeError> {
        let mut tries = Tries::default();
        loop {
            match self.peer().await {
                Ok(peer) => return Ok(peer.hello.tools.clone()),
                Err(broken) => tries
                    .again(broken)
                    .await
                    .map_err(|Unanswered(why)| RuntimeError::Unreachable(why))?,
            }
        }
    }

    /// Asks for something that may be done twice.
    pub(super) async fn ask(
        &self,
        tool: &str,
        arguments: &impl Serialize,
    ) -> Result<Reply, Unanswered> {
        let arguments = raw(arguments)?;
        self.persist(tool, &arguments, self.meta(), &OutputSink::none())
            .await
    }

    /// Asks for something that must not be done twice. A call that is cancelled is answered when it has ended.
    pub(super) async fn call(
        self: &Arc<Self>,
        tool: &str,
        arguments: &RawValue,
        call: Call,
        cancel: &CancellationToken,
    ) -> Result<Reply, Unanswered> {
        let meta = CallMeta {
            call: Some(call.id.clone()),
            tool_call: call.of_tool,
            env: Exposed::all(&call.env),
            ..self.meta()
        };
        // A caller that goes away wants no answer: the call is to end all the same.
        let mut abandoned = CancelOnDrop(Some((Arc::clone(self), call.id.clone())));
        let asking = self.persist(tool, arguments, meta, &call.output);
        tokio::pin!(asking);
        let answer = tokio::select! {
            biased;
            answer = &mut asking => answer,
            () = cancel.cancelled() => {
                let ended = async {
                    let (answer, ()) = tokio::join!(&mut asking, self.cancel(&call.id));
                    answer
                };
                match tokio::time::timeout(CANCEL_LIMIT, ended).await {
                    Ok(answer) => answer,
                    Err(_) => Err(Unanswered("the call does not end".to_owned())),
                }
            }
        };
        abandoned.0 = None;
        answer
    }

    /// Ends a call early.
    async fn cancel(&self, call: &str) {
        let params = CancelParams {
            call: call.to_owned(),
        };
        if let Err(Unanswered(why)) = self.ask(CANCEL, &params).await {
            tracing::debug!(why, "a call could not be cancelled");
        }
    }

    fn meta(&self) -> CallMeta {
        CallMeta {
            conversation: Some(self.conversation),
            equipment: Some(self.equipment.clone()),
            ..CallMeta::default()
        }
    }

    /// Asks until there is an answer, or too many tries have failed.
    async fn persist(
        &self,
        tool: &str,
        arguments: &RawValue,
        mut meta: CallMeta,
        output: &OutputSink,
    ) -> Result<Reply, Unanswered> {
        let http = self.http()?;
        let mut tries = Tries::default();
        loop {
            let broken = match self.peer().await {
                Ok(peer) => {
                    let question = Question {
                        tool,
                        arguments,
                        meta: &meta,
                    };
                    let began = Instant::now();
                    let broken = match http.ask(&peer.endpoint, question, output).await {
                        Ok(Reply {
                            fault: Some(Fault::Lost),
                            text,
                            ..
                        }) => return Err(Unanswered(text)),
                        Ok(reply) => return Ok(reply),
                        Err(broken) => broken,
                    };
                    if matches!(
                        broken,
                        Broken::Lost {
                            was_heard: true,
                            ..
                        }
                    ) && meta.call.is_some()
                        && meta.again.is_none()
                    {
                        meta.again = Some(peer.hello.instance.clone());
                    }
                    if began.elapsed() > LASTED {
                        tries = Tries::default();
                    }
                    self.forget(&peer).await;
                    broken
                }
                Err(broken) => broken,
            };
            tries.again(broken).await?;
        }
    }

    fn http(&self) -> Result<&Http, Unanswered> {
        self.http.as_ref().map_err(|why| Unanswered(why.clone()))
    }

    /// The server of the moment, asked who it is if that is not known. Only one asks at a time, and the others wait for
    /// what it hears.
    async fn peer(&self) -> Result<Arc<Peer>, Broken> {
        let mut known = self.peer.lock().await;
        if let Some(peer) = &*known {
            return Ok(Arc::clone(peer));
        }
        // Who starts sandboxes has waited already for all that is worth waiting for: asking again would wait as long
        // again, and start another one.
        let endpoint = match self.endpoints.endpoint().await {
            Ok(endpoint) => endpoint,
            Err(RuntimeError::Unreachable(why)) => return Err(Broken::Refused(why)),
            Err(other @ RuntimeError::Tool(_)) => return Err(Broken::Refused(other.to_string())),
        };
        let http = self
            .http()
            .map_err(|Unanswered(why)| Broken::Refused(why))?;
        let empty = raw(&serde_json::Map::new()).map_err(|Unanswered(why)| Broken::Refused(why))?;
        let question = Question {
            tool: HELLO,
            arguments: &empty,
            meta: &CallMeta::default(),
        };
        let reply = http.ask(&endpoint, question, &OutputSink::none()).await?;
        let hello = reply
            .structured
            .and_then(|hello| serde_json::from_str(hello.get()).ok())
            .ok_or_else(|| Broken::Refused("its server has no hands".to_owned()))?;
        let peer = Arc::new(Peer { endpoint, hello });
        *known = Some(Arc::clone(&peer));
        Ok(peer)
    }

    /// The next one asks anew where the server is.
    async fn forget(&self, peer: &Arc<Peer>) {
        let mut known = self.peer.lock().await;
        if known.as_ref().is_some_and(|known| Arc::ptr_eq(known, peer)) {
            *known = None;
        }
    }
}

/// Something as JSON text.
pub(super) fn raw(value: &impl Serialize) -> Result<Box<RawValue>, Unanswered> {
    to_raw_value(value).map_err(|error| Unanswered(format!("the call cannot be written: {error}")))
}

/// How often it was tried.
#[derive(Debug, Default)]
struct Tries(u32);

impl Tries {
    /// Waits before the next try, or gives up.
    async fn again(&mut self, broken: Broken) -> Result<(), Unanswered> {
        let why = match broken {
            Broken::Refused(why) => return Err(Unanswered(why)),
            Broken::Lost { why, .. } => why,
        };
        self.0 += 1;
        if self.0 >= MAX_TRIES {
            return Err(Unanswered(why));
        }
        tracing::debug!(why, tries = self.0, "an inner server did not answer");
        let wait = FIRST_WAIT.saturating_mul(1 << (self.0 - 1).min(16));
        tokio::time::sleep(wait.min(LONGEST_WAIT)).await;
        Ok(())
    }
}

/// Cancels a call whose caller went away.
struct CancelOnDrop(Option<(Arc<Line>, String)>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some((line, call)) = self.0.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            // It ends by itself after a few tries.
            runtime.spawn(async move { line.cancel(&call).await });
        }
    }
}

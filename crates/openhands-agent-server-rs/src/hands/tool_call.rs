//! A call of a tool: from its arguments to its answer.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use openhands_protocol::tool::{Action, Observation};
use openhands_protocol::{ConversationId, ToolCallId};
use openhands_sdk_rs::runtime::hands::{CallMeta, Fault};
use openhands_sdk_rs::tools::{CallContext, OutputSink, ToolDefinition, ToolError};
use rmcp::model::CallToolResult;
use serde_json::{Map, Value};

use super::bench::Bench;
use super::calls::{Call, CallState};
use super::{Hands, Owner, preview, result};

/// A call that nobody waits for ends after this time: whoever lost a connection has asked again long before.
const UNWATCHED_LIMIT: Duration = Duration::from_mins(1);

/// What a call of a tool needs.
#[derive(Debug)]
pub(super) struct ToolCall {
    pub(super) bench: Arc<Bench>,
    pub(super) tool: String,
    pub(super) arguments: Map<String, Value>,
    pub(super) meta: CallMeta,
    /// Whether its output is to be shown while it runs.
    pub(super) shows_output: bool,
}

impl ToolCall {
    /// Whether the one who calls knows observations.
    fn is_of_runtime(&self) -> bool {
        self.meta.equipment.is_some()
    }

    /// Executes it. A tool's own error is an answer, too.
    pub(super) async fn run(self, call: Arc<Call>) -> CallToolResult {
        let masker = self.bench.masker(&self.meta.env);
        let with_parts = !self.is_of_runtime();
        let (output, chunks) = if self.shows_output {
            let (output, chunks) = OutputSink::channel(preview::BACKLOG);
            (output, Some(chunks))
        } else {
            (OutputSink::none(), None)
        };
        let shown = async {
            if let Some(chunks) = chunks {
                preview::pass_on(chunks, &masker, &call.output).await;
            }
        };
        let executed = self.execute(output, &call);
        let (executed, ()) = tokio::join!(executed, shown);
        match executed {
            Ok(mut observation) => {
                masker.mask_observation(&mut observation);
                result::observed(&observation, with_parts)
            }
            Err(error) => {
                let mut text = error.to_string();
                masker.mask_string(&mut text);
                result::fault(Fault::of(&error), text)
            }
        }
    }

    async fn execute(self, output: OutputSink, call: &Call) -> Result<Observation, ToolError> {
        let (definition, executor) = self.bench.tool(&self.tool).map_err(ToolError::Invalid)?;
        let action = action(definition.as_ref(), self.arguments)?;
        let locks = definition.locks(&action);
        let _held = tokio::select! {
            held = self.bench.locks.acquire(&locks) => held,
            () = call.cancel.cancelled() => return Err(ToolError::Cancelled),
        };
        let env = self.meta.env.into_iter();
        let cx = CallContext {
            call: self
                .meta
                .tool_call
                .unwrap_or_else(|| ToolCallId::new("mcp")),
            conversation: self
                .meta
                .conversation
                .unwrap_or_else(ConversationId::random),
            env: env
                .map(|(name, value)| (name, value.into_secret()))
                .collect(),
            output,
            cancel: call.cancel.clone(),
        };
        executor.execute(action, cx).await
    }
}

/// The action of a call: as it is, or what its arguments ask for.
fn action(
    definition: &dyn ToolDefinition,
    arguments: Map<String, Value>,
) -> Result<Action, ToolError> {
    if arguments.contains_key(Action::TAG) {
        return serde_json::from_value(Value::Object(arguments))
            .map_err(|error| ToolError::Invalid(format!("this is no action: {error}")));
    }
    definition
        .decode(&arguments)
        .map_err(|problems| ToolError::Invalid(problems.to_string()))
}

impl Hands {
    /// Runs a call in a task of its own, and remembers what came of it if it has an id.
    pub(super) fn start(
        self: &Arc<Self>,
        owner: Owner,
        id: Option<String>,
        call: Arc<Call>,
        work: impl Future<Output = CallToolResult> + Send + 'static,
    ) {
        let hands = Arc::clone(self);
        self.tasks.spawn(async move {
            let work = AssertUnwindSafe(work).catch_unwind();
            tokio::pin!(work);
            let answer = loop {
                tokio::select! {
                    answer = &mut work => break answer,
                    () = abandoned(&call) => call.cancel.cancel(),
                }
                if call.cancel.is_cancelled() {
                    break work.await;
                }
            };
            let answer =
                answer.unwrap_or_else(|panic| result::fault(Fault::Failed, panic_text(&*panic)));
            match id {
                Some(id) => hands.calls.end(owner, &id, &call, answer),
                None => {
                    call.state
                        .send_replace(CallState::Answered(Arc::new(answer)));
                }
            }
        });
    }
}

/// Waits until nobody has watched a call for too long.
async fn abandoned(call: &Call) {
    loop {
        call.state.closed().await;
        tokio::time::sleep(UNWATCHED_LIMIT).await;
        if call.state.receiver_count() == 0 {
            return;
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("the tool panicked")
        .to_owned()
}

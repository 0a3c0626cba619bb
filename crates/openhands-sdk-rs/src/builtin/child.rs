//! The `start_child_conversation` tool: a conversation that lives on by itself.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use openhands_protocol::Form;
use openhands_protocol::JsonObject;
use openhands_protocol::conversation::{Isolation, StartChildConversationRequest};
use openhands_protocol::tool::{
    Action, Observation, StartChildConversationAction, StartChildConversationObservation, ToolSpec,
};
use openhands_tools::arguments::{Arguments, InvalidArguments, one_of, text};
use openhands_tools::{
    CallContext, CreateError, Hints, Registration, ToolError, ToolExecutor, spec,
};
use serde_json::{Map, Value, json};

use crate::builtin::seat::Seat;
use crate::builtin::stated::{Stated, only};
use crate::conversation::{ChildRequest, Conversation};

/// The tool's name.
pub(crate) const NAME: &str = "start_child_conversation";

/// Who starts the conversation, if not the server itself.
const LAUNCH_URL: &str = "launch_url";

/// How long starting one may take: it may have to get a sandbox first.
const TIME_LIMIT: Duration = Duration::from_mins(5);

const DESCRIPTION: &str = "\
Starts another conversation, with an agent of its own, that works on a task while this one goes on. It has the same settings \
and does not see what was said here: the task must hold all that its agent needs, the goal, the paths, the limits and what it is \
to deliver.

With `isolation` `worktree` it gets a git worktree and a branch of its own if the workspace is a repository. The worktree begins \
at the default branch, without what this conversation has changed; `shared` lets it work in this directory instead.

The answer has its id, its status and, where there is one, its address: pass them on to the user. Each call starts another \
conversation, so do not repeat one that gave you an id.";

fn tool_spec() -> ToolSpec {
    let hints = Hints {
        read_only: false,
        destructive: false,
        idempotent: false,
        open_world: true,
    };
    let schema = json!({
        "type": "object",
        "properties": {
            "task": {
                "type": "string",
                "description": "The task, complete in itself.",
            },
            "title": {
                "type": "string",
                "description": "A short title for the conversation.",
            },
            "isolation": {
                "type": "string",
                "enum": ["worktree", "shared"],
                "description": "Where it works: in a worktree of its own, or in this directory.",
            },
        },
        "required": ["task"],
    });
    spec(NAME, "StartChildConversation", DESCRIPTION, hints, schema)
}

fn decode(arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
    let mut arguments = Arguments::new(arguments);
    let task = arguments.required("task", text);
    let title = arguments.optional("title", text);
    let isolation = arguments.or(
        "isolation",
        "worktree".to_owned(),
        one_of(&["worktree", "shared"]),
    );
    arguments.finish()?;
    Ok(Action::StartChildConversation(
        StartChildConversationAction {
            task,
            title,
            isolation: if isolation == "shared" {
                Isolation::Shared
            } else {
                Isolation::Worktree
            },
            ..StartChildConversationAction::default()
        },
    ))
}

#[derive(Debug)]
struct Starter {
    seat: Arc<Seat>,
    launch_url: Option<String>,
}

impl Starter {
    async fn start(
        &self,
        conversation: &Conversation,
        action: StartChildConversationAction,
        cx: &CallContext,
    ) -> Result<Result<StartChildConversationObservation, String>, ToolError> {
        let Some(children) = conversation.inner.host.children.clone() else {
            return Ok(Err(
                "this conversation has no server that could start it".to_owned()
            ));
        };
        if action.task.is_empty() {
            return Ok(Err("the task must not be empty".to_owned()));
        }
        let starting = children(ChildRequest {
            parent: conversation.id(),
            request: StartChildConversationRequest {
                task: action.task,
                title: action.title,
                isolation: action.isolation,
                ..StartChildConversationRequest::default()
            },
            launch_url: self.launch_url.clone(),
        });
        let started = tokio::select! {
            biased;
            () = cx.cancel.cancelled() => return Err(ToolError::Cancelled),
            started = tokio::time::timeout(TIME_LIMIT, starting) => started,
        };
        let started = match started {
            Ok(Ok(started)) => started,
            Ok(Err(reason)) => return Ok(Err(reason)),
            Err(_) => {
                return Ok(Err(format!(
                    "it took more than {} seconds. It may have been started all the same: ask the user before you try again",
                    TIME_LIMIT.as_secs()
                )));
            }
        };
        let details = Form::REST.to_value(&started).unwrap_or_default();
        Ok(Ok(StartChildConversationObservation {
            conversation_id: Some(started.conversation_id.to_string()),
            parent_conversation_id: Some(started.parent_conversation_id.to_string()),
            status: Some(started.status.clone()),
            title: started.title,
            url: started.url,
            workspace: started.workspace,
            isolation: started.isolation,
            ..StartChildConversationObservation::with_text(format!(
                "Started child conversation {} (status: {}).\n{details:#}",
                started.conversation_id, started.status
            ))
        }))
    }
}

impl ToolExecutor for Starter {
    fn execute(
        &self,
        action: Action,
        cx: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            let Action::StartChildConversation(action) = action else {
                return Err(ToolError::wrong_action(NAME, &action));
            };
            let conversation = self.seat.conversation()?;
            let started = self.start(&conversation, action, &cx).await?;
            let observation = started.unwrap_or_else(|reason| {
                StartChildConversationObservation::with_error(format!(
                    "Child conversation launch failed: {reason}"
                ))
            });
            Ok(Observation::StartChildConversation(observation))
        })
    }
}

fn launch_url(params: &JsonObject) -> Result<Option<String>, CreateError> {
    only(NAME, params, &[LAUNCH_URL])?;
    match params.0.get(LAUNCH_URL) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(url)) => Ok(Some(url.clone())),
        Some(_) => Err(CreateError::BadParameter {
            tool: NAME.to_owned(),
            parameter: LAUNCH_URL.to_owned(),
            problem: "it must be text".to_owned(),
        }),
    }
}

pub(crate) fn registration(seat: &Arc<Seat>) -> Registration {
    let seat = Arc::clone(seat);
    Registration::single(
        |_, params| {
            launch_url(params)?;
            Ok(Stated::new(tool_spec(), decode))
        },
        move |_, params| {
            Ok(Starter {
                seat: Arc::clone(&seat),
                launch_url: launch_url(params)?,
            })
        },
        NAME,
    )
}

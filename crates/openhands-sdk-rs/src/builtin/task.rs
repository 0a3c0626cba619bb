//! The `task` tool: work for a sub-agent, which the call waits for.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use openhands_protocol::tool::{Action, Observation, TaskAction, TaskObservation, ToolSpec};
use openhands_tools::arguments::{Arguments, InvalidArguments, integer_at_least, text};
use openhands_tools::{CallContext, Hints, Registration, ToolError, ToolExecutor, spec};
use serde_json::{Map, Value, json};

use crate::builtin::seat::Seat;
use crate::builtin::stated::{Stated, only};
use crate::subagents::{Outcome, SCOPE_PARAMETER, Scope, TaskOrder, run_task};

/// The tool's name.
pub(crate) const NAME: &str = "task";

const DESCRIPTION: &str = "\
Gives a task to a sub-agent and waits until it is done. A sub-agent is an agent of its own: it has its own tools and its own \
memory, knows nothing of this conversation, and gives you back one answer.

The sub-agents:
{agents}

Give away work that takes many steps and whose details you need not see: finding one's way in unknown code, running long \
tests, research, a change that stands by itself. Do the rest yourself: one search, one look at a file, an edit whose place you \
know. Tasks that do not depend on each other can be given in the same response.

The prompt is all that the sub-agent is told. Say what is to be done, name the files, functions and error messages that \
matter, and say what the answer must hold: paths, line numbers, results. To go on with a sub-agent that has answered \
already, give its task id as `resume`; it remembers what it did.";

/// In place of the list when there is nothing on it.
const NOBODY: &str = "- None: each of them needs tools that you do not have.";

fn tool_spec(agents: &str) -> ToolSpec {
    let hints = Hints {
        read_only: false,
        destructive: true,
        idempotent: false,
        open_world: true,
    };
    let schema = json!({
        "type": "object",
        "properties": {
            "description": {
                "type": "string",
                "description": "What the task is, in three to five words.",
            },
            "prompt": {
                "type": "string",
                "description": "The task, with all that the sub-agent must know.",
            },
            "subagent_type": {
                "type": "string",
                "description": "Which sub-agent does it; `general-purpose` unless you say otherwise.",
            },
            "resume": {
                "type": "string",
                "description": "The id of an earlier task whose sub-agent goes on with this one.",
            },
        },
        "required": ["prompt"],
    });
    let agents = if agents.is_empty() { NOBODY } else { agents };
    let description = DESCRIPTION.replace("{agents}", agents);
    spec(NAME, "Task", description, hints, schema)
}

fn decode(arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
    let mut arguments = Arguments::new(arguments);
    let description = arguments.optional("description", text);
    let prompt = arguments.required("prompt", text);
    let subagent_type = arguments.or("subagent_type", "general-purpose".to_owned(), text);
    let resume = arguments.optional("resume", text);
    // compat: older clients send it; it has no effect.
    arguments.optional("max_turns", integer_at_least(1));
    arguments.finish()?;
    Ok(Action::Task(TaskAction {
        description,
        prompt,
        subagent_type,
        resume,
        ..TaskAction::default()
    }))
}

#[derive(Debug)]
struct Tasks {
    seat: Arc<Seat>,
    scope: Scope,
}

impl ToolExecutor for Tasks {
    fn execute(
        &self,
        action: Action,
        cx: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            let Action::Task(task) = action else {
                return Err(ToolError::wrong_action(NAME, &action));
            };
            let conversation = self.seat.conversation()?;
            let order = TaskOrder {
                prompt: &task.prompt,
                subagent_type: &task.subagent_type,
                resume: task.resume.as_deref(),
                scope: self.scope,
            };
            let done = run_task(&conversation.inner, &self.seat.catalog, order, &cx.cancel).await;
            let (task_id, is_error, text) = match done {
                Ok((id, Outcome::Completed(answer))) if answer.is_empty() => {
                    (id, false, "Task completed with no result.".to_owned())
                }
                Ok((id, Outcome::Completed(answer))) => (id, false, answer),
                Ok((id, Outcome::Stopped(reason))) => (id, true, reason),
                Ok((_, Outcome::Cancelled)) => return Err(ToolError::Cancelled),
                Err(reason) => (
                    "unknown".to_owned(),
                    true,
                    format!("Failed to execute task: {reason}"),
                ),
            };
            let status = if is_error { "error" } else { "completed" };
            Ok(Observation::Task(TaskObservation {
                is_error,
                task_id,
                subagent: task.subagent_type,
                status: status.to_owned(),
                ..TaskObservation::with_text(text)
            }))
        })
    }
}

pub(crate) fn registration(seat: &Arc<Seat>) -> Registration {
    let define = {
        let seat = Arc::clone(seat);
        move |params: &_| {
            only(NAME, params, &[SCOPE_PARAMETER])?;
            let scope = Scope::of(NAME, params)?;
            let agents = seat.catalog.listing(|definition| {
                let agent = seat.agent.as_ref();
                agent.is_none_or(|agent| scope.missing(agent, definition).is_empty())
            });
            // Sub-agents work side by side.
            Ok(Stated::new(tool_spec(&agents), decode).beside_anything())
        }
    };
    let seat = Arc::clone(seat);
    Registration::single(
        move |_, params| define(params),
        move |_, params| {
            Ok(Tasks {
                seat: Arc::clone(&seat),
                scope: Scope::of(NAME, params)?,
            })
        },
        NAME,
    )
}

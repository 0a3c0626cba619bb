//! The `workflow` tool: a Python script that calls sub-agents. This program has no Python, and says so.

use futures_util::future::BoxFuture;
use openhands_protocol::tool::{
    Action, Observation, ToolSpec, WorkflowAction, WorkflowObservation, WorkflowStatus,
};
use openhands_tools::arguments::{
    Arguments, InvalidArguments, Read, Refused, integer_at_least, text,
};
use openhands_tools::{CallContext, Hints, Registration, ToolError, ToolExecutor, spec};
use serde_json::{Map, Value, json};

use crate::builtin::stated::{Stated, only};
use crate::subagents::{SCOPE_PARAMETER, Scope};

/// The tool's name.
pub(crate) const NAME: &str = "workflow";

/// How many sub-agents may work at once, at most.
const MAX_CONCURRENCY: i64 = 64;
/// How many do if nothing is said.
const USUAL_CONCURRENCY: i64 = 8;

const DESCRIPTION: &str = "\
Runs a Python script `async def main(wf)` that has sub-agents work through `wf`. There is no Python for it here, so every call \
fails: give the single pieces of work to sub-agents with the `task` tool instead, several in one response to have them done side \
by side.";

const REFUSAL: &str = "\
Workflow scripts are Python code, and this server does not run them. Give the pieces of work to sub-agents with the `task` \
tool, several in one response to have them done side by side, and put their answers together yourself.";

fn tool_spec() -> ToolSpec {
    let hints = Hints {
        read_only: false,
        destructive: true,
        idempotent: false,
        open_world: true,
    };
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "A short name for the run."},
            "script": {"type": "string", "description": "The script: `async def main(wf):`."},
            "max_concurrency": {
                "type": "integer",
                "description": "How many sub-agents may work at once, 1 to 64.",
            },
        },
        "required": ["name", "script"],
    });
    spec(NAME, "Workflow", DESCRIPTION, hints, schema)
}

fn decode(arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
    let mut arguments = Arguments::new(arguments);
    let name = arguments.required("name", text);
    let script = arguments.required("script", text);
    let max_concurrency = arguments.or("max_concurrency", USUAL_CONCURRENCY, concurrency);
    arguments.finish()?;
    Ok(Action::Workflow(WorkflowAction {
        name,
        script,
        max_concurrency,
        ..WorkflowAction::default()
    }))
}

fn concurrency(value: &Value) -> Read<i64> {
    let number = integer_at_least(1)(value)?;
    if number > MAX_CONCURRENCY {
        let problem = format!("Input should be less than or equal to {MAX_CONCURRENCY}");
        return Err(vec![Refused::new("less_than_equal", problem)]);
    }
    Ok(number)
}

#[derive(Debug)]
struct NoPython;

impl ToolExecutor for NoPython {
    fn execute(
        &self,
        action: Action,
        _: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            match action {
                Action::Workflow(workflow) => Ok(Observation::Workflow(WorkflowObservation {
                    name: workflow.name,
                    status: WorkflowStatus::Error,
                    ..WorkflowObservation::with_error(REFUSAL)
                })),
                other => Err(ToolError::wrong_action(NAME, &other)),
            }
        })
    }
}

pub(crate) fn registration() -> Registration {
    Registration::single(
        |_, params| {
            only(NAME, params, &[SCOPE_PARAMETER])?;
            Scope::of(NAME, params)?;
            Ok(Stated::new(tool_spec(), decode))
        },
        |_, _| Ok(NoPython),
        NAME,
    )
}

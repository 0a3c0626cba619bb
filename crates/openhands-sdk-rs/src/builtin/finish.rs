//! The `finish` tool: the agent's last word in a run.

use std::sync::LazyLock;

use futures_util::future::BoxFuture;
use openhands_protocol::tool::{Action, FinishAction, FinishObservation, Observation, ToolSpec};
use openhands_tools::arguments::{Arguments, InvalidArguments, text};
use openhands_tools::{
    CallContext, Hints, Locks, Registration, ToolDefinition, ToolError, ToolExecutor, spec,
};
use serde_json::{Map, Value, json};

/// The tool's name.
pub(crate) const NAME: &str = "finish";

const DESCRIPTION: &str = "\
Ends your turn. Call it when the task is done and checked, or when you cannot go on without the user. The message is your \
answer: say what was done and what came of it, what is left open, and what you need, if anything. Do not call other tools in \
the same response.";

#[derive(Debug)]
struct FinishTool {
    spec: ToolSpec,
}

impl FinishTool {
    fn new() -> Self {
        let hints = Hints {
            read_only: true,
            destructive: false,
            idempotent: true,
            open_world: false,
        };
        let schema = json!({
            "type": "object",
            "properties": {
                "message": {
                    "type": "string",
                    "description": "Your answer to the user.",
                },
            },
            "required": ["message"],
        });
        Self {
            spec: spec(NAME, "Finish", DESCRIPTION, hints, schema),
        }
    }
}

impl ToolDefinition for FinishTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        let mut arguments = Arguments::new(arguments);
        let message = arguments.required("message", text);
        arguments.finish()?;
        Ok(Action::Finish(FinishAction {
            message,
            ..FinishAction::default()
        }))
    }

    fn locks(&self, _: &Action) -> Locks {
        Locks::none()
    }
}

#[derive(Debug)]
struct Finish;

impl ToolExecutor for Finish {
    fn execute(
        &self,
        action: Action,
        _: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            match action {
                Action::Finish(finish) => Ok(Observation::Finish(FinishObservation::with_text(
                    finish.message,
                ))),
                other => Err(ToolError::wrong_action(NAME, &other)),
            }
        })
    }
}

pub(crate) fn registration() -> Registration {
    // One for all conversations, each of which has a registry of its own: they share what the model is told.
    static ONE: LazyLock<Registration> = LazyLock::new(|| {
        Registration::shared(|_| (), |()| FinishTool::new(), |_, _| Ok(Finish), NAME)
    });
    ONE.clone()
}

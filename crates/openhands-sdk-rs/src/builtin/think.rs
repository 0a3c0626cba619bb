//! The `think` tool: a thought that is written down and changes nothing.

use std::sync::LazyLock;

use futures_util::future::BoxFuture;
use openhands_protocol::tool::{Action, Observation, ThinkAction, ThinkObservation, ToolSpec};
use openhands_tools::arguments::{Arguments, InvalidArguments, text};
use openhands_tools::{
    CallContext, Hints, Locks, Registration, ToolDefinition, ToolError, ToolExecutor, spec,
};
use serde_json::{Map, Value, json};

/// The tool's name.
pub(crate) const NAME: &str = "think";

const DESCRIPTION: &str = "\
Writes a thought down. It runs nothing and finds nothing out. Use it when a problem needs reasoning before you act: to weigh \
causes of a bug, to compare designs, to plan the order of changes.";

#[derive(Debug)]
struct ThinkTool {
    spec: ToolSpec,
}

impl ThinkTool {
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
                "thought": {
                    "type": "string",
                    "description": "The thought.",
                },
            },
            "required": ["thought"],
        });
        Self {
            spec: spec(NAME, "Think", DESCRIPTION, hints, schema),
        }
    }
}

impl ToolDefinition for ThinkTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        let mut arguments = Arguments::new(arguments);
        let thought = arguments.required("thought", text);
        arguments.finish()?;
        Ok(Action::Think(ThinkAction {
            thought,
            ..ThinkAction::default()
        }))
    }

    fn locks(&self, _: &Action) -> Locks {
        Locks::none()
    }
}

#[derive(Debug)]
struct Think;

impl ToolExecutor for Think {
    fn execute(
        &self,
        action: Action,
        _: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            match action {
                Action::Think(_) => Ok(Observation::Think(ThinkObservation::with_text(
                    "Your thought has been logged.",
                ))),
                other => Err(ToolError::wrong_action(NAME, &other)),
            }
        })
    }
}

pub(crate) fn registration() -> Registration {
    // One for all conversations, each of which has a registry of its own: they share what the model is told.
    static ONE: LazyLock<Registration> = LazyLock::new(|| {
        Registration::shared(|_| (), |()| ThinkTool::new(), |_, _| Ok(Think), NAME)
    });
    ONE.clone()
}

//! Both halves of the `task_tracker` tool.

use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use openhands_protocol::tool::{
    Action, Observation, TaskStatus, TaskTrackerAction, TaskTrackerCommand, TaskTrackerObservation,
    ToolSpec,
};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use super::NAME;
use super::list::{TaskList, task};
use crate::arguments::{Arguments, InvalidArguments, Read, list, one_of};
use crate::blocking::blocking;
use crate::definition::{Hints, ToolDefinition, spec};
use crate::executor::{CallContext, ToolError, ToolExecutor};
use crate::registry::Registration;

const DESCRIPTION: &str = "\
Keeps your list of tasks for this conversation, where the user can follow it.

Use it for work of several steps, for several requests at once, or when the user asks for a plan. Skip it for a question, or for a \
change that is one or two steps: there it only costs time.

* `plan` replaces the whole list with `task_list`. Send every task each time, the finished ones too: a task that is left out is gone.
* `view` shows the list. Look at it before you change it, and when you come back to work after a long stretch.

Statuses
* `todo`: not begun. `in_progress`: being worked on; keep it to one task at a time. `done`: finished and checked.
* Update the list when a task begins and right when it ends, not in one go at the end.
* A task is not `done` while its tests fail, parts are missing or an error is open. If something blocks it, leave it `in_progress` \
and add a task for what is in the way.

Titles say what will be true when the task is done, in a few words. Details that you will need later go into `notes`.";

/// The pure half.
#[derive(Debug)]
pub struct TaskTrackerTool {
    spec: ToolSpec,
}

impl Default for TaskTrackerTool {
    fn default() -> Self {
        Self::new()
    }
}

impl TaskTrackerTool {
    pub fn new() -> Self {
        let hints = Hints {
            read_only: false,
            destructive: false,
            idempotent: true,
            open_world: false,
        };
        Self {
            spec: spec(NAME, "TaskTracker", DESCRIPTION, hints, schema()),
        }
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "command": {
                "type": "string",
                "enum": TaskTrackerCommand::WORDS,
                "default": "view",
                "description": "`view` shows the list, `plan` replaces it with `task_list`.",
            },
            "task_list": {
                "type": "array",
                "description": "The whole list, for `plan`.",
                "items": {
                    "type": "object",
                    "properties": {
                        "title": {"type": "string", "description": "The task in a few words."},
                        "notes": {
                            "type": "string",
                            "default": "",
                            "description": "Details worth keeping.",
                        },
                        "status": {
                            "type": "string",
                            "enum": TaskStatus::WORDS,
                            "default": "todo",
                            "description": "How far the task is.",
                        },
                    },
                    "required": ["title"],
                },
            },
        },
    })
}

impl ToolDefinition for TaskTrackerTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        let mut given = Arguments::new(arguments);
        let action = TaskTrackerAction {
            command: given.or("command", TaskTrackerCommand::View, command),
            task_list: given.or("task_list", Vec::new(), list(task)),
            ..TaskTrackerAction::default()
        };
        given.finish()?;
        Ok(Action::TaskTracker(action))
    }
}

fn command(value: &Value) -> Read<TaskTrackerCommand> {
    let word = one_of(TaskTrackerCommand::WORDS)(value)?;
    // The word is one of the list, so it parses.
    Ok(word.parse().unwrap_or_default())
}

/// The acting half: the list itself.
#[derive(Debug)]
pub struct TaskTrackerExecutor {
    list: Arc<Mutex<TaskList>>,
}

impl TaskTrackerExecutor {
    /// A tracker that keeps its list in `dir`, if there is one.
    pub fn new(dir: Option<&Path>) -> Self {
        Self {
            list: Arc::new(Mutex::new(TaskList::load(dir))),
        }
    }
}

impl ToolExecutor for TaskTrackerExecutor {
    fn execute(
        &self,
        action: Action,
        _cx: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            let Action::TaskTracker(action) = action else {
                return Err(ToolError::wrong_action(NAME, &action));
            };
            let list = Arc::clone(&self.list);
            let observation = blocking(move || run(&mut list.lock(), action)).await?;
            Ok(Observation::TaskTracker(observation))
        })
    }
}

fn run(list: &mut TaskList, action: TaskTrackerAction) -> TaskTrackerObservation {
    let command = action.command;
    let text = match command {
        TaskTrackerCommand::View => list.show(),
        TaskTrackerCommand::Plan => {
            list.replace(action.task_list);
            let count = list.tasks().len();
            format!("Task list has been updated with {count} item(s).")
        }
    };
    TaskTrackerObservation {
        command,
        task_list: list.tasks().to_vec(),
        ..TaskTrackerObservation::with_text(text)
    }
}

/// Both halves, for the registry.
pub fn registration() -> Registration {
    Registration::shared(
        |_| (),
        |()| TaskTrackerTool::new(),
        |machine, _| {
            let dir = machine.place.persistence_dir.as_deref();
            Ok(TaskTrackerExecutor::new(dir))
        },
        NAME,
    )
}

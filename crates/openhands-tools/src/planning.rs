//! The `planning_file_editor` tool: the file editor for an agent that plans. It may look at every file and change one, the plan.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use openhands_protocol::JsonObject;
use openhands_protocol::tool::{
    Action, FileEditorAction, FileEditorCommand, Observation, PlanningFileEditorAction,
    PlanningFileEditorObservation, ToolSpec,
};
use serde_json::{Map, Value};

use crate::absolute::absolute;
use crate::arguments::InvalidArguments;
use crate::blocking::blocking;
use crate::definition::{Hints, ToolDefinition, spec};
use crate::executor::{CallContext, ToolError, ToolExecutor};
use crate::file_editor::{self, FileEditor};
use crate::registry::{CreateError, Registration};
use crate::resolve::resolve;
use crate::resources::Locks;
use crate::safe_write::write_file;

/// The tool's name.
pub const NAME: &str = "planning_file_editor";

/// The headers that a new plan starts with.
pub const PLAN_SECTIONS: [&str; 5] = [
    "OBJECTIVE",
    "CONTEXT SUMMARY",
    "APPROACH OVERVIEW",
    "IMPLEMENTATION STEPS",
    "TESTING AND VALIDATION",
];

const RESTRICTION: &str = "\
You are planning, so this editor is restricted: `view` works on every file and directory, every other command only on the plan \
file. The plan file exists already and holds numbered section headers: fill the sections in with `str_replace` or `insert`, \
and keep the headers. Whoever carries the plan out reads it there.";

/// The pure half.
#[derive(Debug)]
pub struct PlanningFileEditorTool {
    spec: ToolSpec,
}

impl PlanningFileEditorTool {
    /// The definition for an agent that works in `working_dir` and keeps its plan at `plan`.
    pub fn new(working_dir: &Path, plan: &Path) -> Self {
        let hints = Hints {
            read_only: false,
            destructive: false,
            idempotent: false,
            open_world: false,
        };
        let description = format!(
            "{}\n\n{RESTRICTION}\n\nYour working directory is {}. The plan file is {}.",
            file_editor::DESCRIPTION,
            working_dir.display(),
            plan.display()
        );
        let schema = file_editor::schema();
        Self {
            spec: spec(NAME, "PlanningFileEditor", description, hints, schema),
        }
    }
}

impl ToolDefinition for PlanningFileEditorTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        let action = file_editor::read_arguments(arguments)?;
        Ok(Action::PlanningFileEditor(PlanningFileEditorAction {
            command: action.command,
            path: action.path,
            file_text: action.file_text,
            old_str: action.old_str,
            new_str: action.new_str,
            insert_line: action.insert_line,
            view_range: action.view_range,
            ..PlanningFileEditorAction::default()
        }))
    }

    fn locks(&self, action: &Action) -> Locks {
        if let Action::PlanningFileEditor(action) = action {
            Locks::file(Path::new(&action.path))
        } else {
            Locks::tool(NAME)
        }
    }
}

/// The acting half.
#[derive(Debug, Clone)]
pub struct PlanningFileEditorExecutor {
    editor: Arc<FileEditor>,
    plan: PathBuf,
}

impl PlanningFileEditorExecutor {
    /// An editor for `plan`, which is created with its section headers when it does not exist.
    pub fn new(working_dir: &Path, plan: &Path) -> Result<Self, CreateError> {
        if !plan.exists() {
            let directory = plan.parent().unwrap_or(plan);
            fs::create_dir_all(directory)
                .map_err(|error| error.to_string())
                .and_then(|()| {
                    write_file(plan, plan_headers().as_bytes()).map_err(|error| error.to_string())
                })
                .map_err(|error| {
                    let plan = plan.display();
                    CreateError::Unusable(format!("cannot create the plan file {plan}: {error}"))
                })?;
        }
        Ok(Self {
            editor: Arc::new(FileEditor::new(working_dir)),
            plan: resolve(plan),
        })
    }

    fn refusal(&self, action: &PlanningFileEditorAction) -> Option<String> {
        if action.command == FileEditorCommand::View {
            return None;
        }
        let path = Path::new(&action.path);
        // compat: a relative path is refused under the name it has from the directory of this process.
        let asked = resolve(&absolute(path));
        if asked == self.plan {
            return None;
        }
        Some(format!(
            "Operation '{}' is not allowed on file '{}'. Only the following files can be edited: ['{}']",
            action.command.as_str(),
            asked.display(),
            self.plan.display()
        ))
    }

    fn run(&self, action: PlanningFileEditorAction) -> PlanningFileEditorObservation {
        let command = action.command;
        if let Some(refusal) = self.refusal(&action) {
            return PlanningFileEditorObservation {
                command,
                ..PlanningFileEditorObservation::with_error(refusal)
            };
        }
        let action = FileEditorAction {
            command,
            path: action.path,
            file_text: action.file_text,
            old_str: action.old_str,
            new_str: action.new_str,
            insert_line: action.insert_line,
            view_range: action.view_range,
            ..FileEditorAction::default()
        };
        let done = file_editor::run(&self.editor, action);
        // compat: the contents before and after are not part of this observation.
        PlanningFileEditorObservation {
            content: done.content,
            is_error: done.is_error,
            command,
            path: done.path,
            ..PlanningFileEditorObservation::default()
        }
    }
}

impl ToolExecutor for PlanningFileEditorExecutor {
    fn execute(
        &self,
        action: Action,
        _cx: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            let Action::PlanningFileEditor(action) = action else {
                return Err(ToolError::wrong_action(NAME, &action));
            };
            let executor = self.clone();
            let observation = blocking(move || executor.run(action)).await?;
            Ok(Observation::PlanningFileEditor(observation))
        })
    }
}

/// The text of a new plan: numbered, empty sections.
pub fn plan_headers() -> String {
    let headers: Vec<String> = (1..)
        .zip(PLAN_SECTIONS)
        .map(|(number, title)| format!("# {number}. {title}\n"))
        .collect();
    headers.join("\n")
}

/// Where the plan is: at the given absolute path; else in the workspace's folder for agents' files.
fn plan_path(working_dir: &Path, params: &JsonObject) -> Result<PathBuf, CreateError> {
    let bad = |problem: String| CreateError::BadParameter {
        tool: NAME.to_owned(),
        parameter: "plan_path".to_owned(),
        problem,
    };
    match params.0.get("plan_path") {
        None | Some(Value::Null) => Ok(working_dir.join(".agents_tmp").join("PLAN.md")),
        Some(Value::String(path)) if Path::new(path).is_absolute() => Ok(PathBuf::from(path)),
        Some(other) => Err(bad(format!(
            "plan_path must be an absolute path, got: {}",
            other
                .as_str()
                .map_or_else(|| other.to_string(), str::to_owned)
        ))),
    }
}

/// The same, with the older place of the plan for a workspace that already has one there.
fn plan_on_disk(working_dir: &Path, params: &JsonObject) -> Result<PathBuf, CreateError> {
    let plan = plan_path(working_dir, params)?;
    let legacy = working_dir.join("PLAN.md");
    let is_default = params.0.get("plan_path").is_none_or(Value::is_null);
    Ok(if is_default && legacy.exists() {
        legacy
    } else {
        plan
    })
}

/// Both halves, for the registry.
pub fn registration() -> Registration {
    Registration::single(
        |place, params| {
            let plan = plan_path(&place.working_dir, params)?;
            Ok(PlanningFileEditorTool::new(&place.working_dir, &plan))
        },
        |machine, params| {
            let working_dir = &machine.place.working_dir;
            let plan = plan_on_disk(working_dir, params)?;
            PlanningFileEditorExecutor::new(working_dir, &plan)
        },
        NAME,
    )
}

#[cfg(test)]
#[path = "planning_tests.rs"]
mod tests;

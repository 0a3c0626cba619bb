//! The `invoke_skill` tool: the model reads a skill when it wants it.

use std::path::Path;

use openhands_protocol::skills::Skill;
use openhands_protocol::tool::{Action, InvokeSkillAction, InvokeSkillObservation, ToolSpec};
use openhands_runtime::Workspace;
use openhands_tools::arguments::{self, Arguments, InvalidArguments};
use openhands_tools::{Hints, Locks, ToolDefinition, ToolError, spec};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::skills::files;
use crate::skills::inline_command;

/// The tool's name.
pub const NAME: &str = "invoke_skill";

const DESCRIPTION: &str = "\
Load a skill: instructions for a special kind of task, often with scripts and reference material beside them.

The skills that you can load are listed under `<available_skills>`; give the `<name>` of one. The answer is the whole text of \
the skill, with the parts that depend on the workspace filled in. Load a skill before you begin work that it covers, then \
follow it. This tool is the only way to load one.";

/// The pure half.
#[derive(Debug)]
pub struct InvokeSkillTool {
    spec: ToolSpec,
}

impl InvokeSkillTool {
    /// The definition.
    pub fn new() -> Self {
        let hints = Hints {
            read_only: true,
            destructive: false,
            idempotent: true,
            open_world: false,
        };
        let schema = json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "The name of the skill to load."},
            },
            "required": ["name"],
        });
        Self {
            spec: spec(NAME, "InvokeSkill", DESCRIPTION, hints, schema),
        }
    }
}

impl Default for InvokeSkillTool {
    fn default() -> Self {
        Self::new()
    }
}

impl ToolDefinition for InvokeSkillTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        let mut reading = Arguments::new(arguments);
        let name = reading.required("name", arguments::text);
        reading.finish()?;
        Ok(InvokeSkillAction {
            name,
            ..InvokeSkillAction::default()
        }
        .into())
    }

    /// Two calls for one skill run one after the other, because its commands may get in each other's way.
    fn locks(&self, action: &Action) -> Locks {
        match action {
            Action::InvokeSkill(action) => Locks::key(format!("skill:{}", action.name.trim())),
            _ => Locks::tool(NAME),
        }
    }
}

/// Whether an agent with these skills needs the tool: it has a SKILL.md skill that the model may load.
pub fn is_needed(skills: &[Skill]) -> bool {
    skills
        .iter()
        .any(|skill| skill.is_agentskills_format && !skill.disable_model_invocation)
}

/// What a call came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Invocation {
    /// The answer.
    pub observation: InvokeSkillObservation,
    /// The skill that was loaded, to be remembered among the invoked ones; none if the call failed.
    pub invoked: Option<String>,
}

/// Executes a call. The skill's commands run in the workspace.
pub async fn invoke(
    skills: &[Skill],
    action: &InvokeSkillAction,
    workspace: &dyn Workspace,
    cancel: &CancellationToken,
) -> Result<Invocation, ToolError> {
    let name = action.name.trim();
    let Some(skill) = skills.iter().find(|skill| skill.name == name) else {
        return Ok(refused(
            name,
            format!(
                "Unknown skill '{name}'. Available skills: {}.",
                available(skills)
            ),
        ));
    };
    if skill.disable_model_invocation {
        return Ok(refused(
            name,
            format!(
                "Skill '{name}' cannot be invoked directly. It can only be activated by trigger matching."
            ),
        ));
    }
    let Some(mut text) = inline_command::render(&skill.content, workspace, cancel).await else {
        return Err(ToolError::Cancelled);
    };
    if let Some(source) = &skill.source {
        text.push_str(&footer(Path::new(source), workspace).await);
    }
    Ok(Invocation {
        observation: InvokeSkillObservation {
            skill_name: name.to_owned(),
            ..InvokeSkillObservation::with_text(text)
        },
        invoked: Some(name.to_owned()),
    })
}

fn refused(name: &str, problem: String) -> Invocation {
    Invocation {
        observation: InvokeSkillObservation {
            skill_name: name.to_owned(),
            ..InvokeSkillObservation::with_error(problem)
        },
        invoked: None,
    }
}

fn available(skills: &[Skill]) -> String {
    let mut names: Vec<&str> = skills
        .iter()
        .filter(|skill| !skill.disable_model_invocation)
        .map(|skill| skill.name.as_str())
        .collect();
    names.sort_unstable();
    if names.is_empty() {
        return "<none>".to_owned();
    }
    names.join(", ")
}

/// Where the skill's files are, if they are on the machine that the tools run on.
async fn footer(source: &Path, workspace: &dyn Workspace) -> String {
    let (Some(directory), Some(file)) = (
        source.parent(),
        source.file_name().and_then(|name| name.to_str()),
    ) else {
        return String::new();
    };
    let entries = files::list(workspace, directory).await.unwrap_or_default();
    if !files::file_names(&entries).any(|name| name == file) {
        return String::new();
    }
    let shown = match directory.strip_prefix(workspace.root()) {
        Ok(below) if below.as_os_str().is_empty() => Path::new("."),
        Ok(below) => below,
        Err(_) => directory,
    };
    format!(
        "\n\n---\nThis skill is located at `{}`. Files that it names (in `scripts/`, `references/` or `assets/`, for example) \
are in that directory.",
        shown.display()
    )
}

#[cfg(test)]
#[path = "invoke_tests.rs"]
mod tests;

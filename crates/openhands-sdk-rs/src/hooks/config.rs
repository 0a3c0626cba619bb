//! Which hooks there are: `hooks.json` of a project or a user, checked and merged.

use std::path::{Path, PathBuf};

use openhands_protocol::Reading;
use openhands_protocol::event::HookEventType;
use openhands_protocol::hooks::{HookConfig, HookDefinition, HookMatcher, HookType};
use openhands_runtime::{Workspace, WorkspaceError};
use serde_json::{Map, Value};

/// Where a project keeps its hooks.
const PROJECT_FILE: &str = ".openhands/hooks.json";
/// Where a user keeps the hooks of all projects, in the directory that holds the rest of the user's settings.
const USER_FILE: &str = "hooks.json";
/// Files of other products put all hooks below this member.
const WRAPPER: &str = "hooks";

/// Why hooks cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HookConfigError {
    /// The file of the project cannot be read.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The file of the user cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    UserFile {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// It is not JSON.
    #[error("the hooks are not valid JSON: {0}")]
    Json(#[source] serde_json::Error),
    /// It is JSON, but no object with events.
    #[error("the hooks must be an object with one member for each event")]
    NoObject,
    /// A member that names no event.
    #[error("there is no event '{0}'; the events are {EVENT_NAMES}")]
    UnknownEvent(String),
    /// The same event in two spellings.
    #[error("the event '{event}' is given twice, the second time as '{spelling}'")]
    Twice {
        /// The event.
        event: &'static str,
        /// How it is written the second time.
        spelling: String,
    },
    /// The hooks of an event have the wrong shape.
    #[error("the hooks of '{event}' cannot be read: {source}")]
    Shape {
        /// The event.
        event: &'static str,
        /// What is wrong.
        #[source]
        source: serde_json::Error,
    },
    /// A hook that cannot do anything.
    #[error("hook {number} of '{event}': {problem}")]
    Definition {
        /// The event.
        event: &'static str,
        /// Its place among the hooks of the event, counted from 1.
        number: usize,
        /// What is wrong.
        problem: &'static str,
    },
}

const EVENT_NAMES: &str =
    "pre_tool_use, post_tool_use, user_prompt_submit, session_start, session_end, stop";

/// The hooks of the project, or those of the user if the project has none. `None` if there is no file at all.
pub async fn load(
    workspace: &dyn Workspace,
    user_dir: Option<&Path>,
) -> Result<Option<HookConfig>, HookConfigError> {
    match workspace.read(Path::new(PROJECT_FILE)).await {
        Ok(json) => return read(&json).map(Some),
        Err(error) if error.is_not_found() => {}
        Err(error) => return Err(error.into()),
    }
    let Some(path) = user_dir.map(|dir| dir.join(USER_FILE)) else {
        return Ok(None);
    };
    match tokio::fs::read(&path).await {
        Ok(json) => read(&json).map(Some),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(HookConfigError::UserFile { path, source }),
    }
}

/// Reads and checks hooks. Events may be written as `pre_tool_use` or `PreToolUse`, and all of them may be below a
/// member `hooks`.
pub fn read(json: &[u8]) -> Result<HookConfig, HookConfigError> {
    from_value(serde_json::from_slice(json).map_err(HookConfigError::Json)?)
}

/// Reads and checks hooks that are JSON already.
pub fn from_value(json: Value) -> Result<HookConfig, HookConfigError> {
    let Value::Object(mut members) = json else {
        return Err(HookConfigError::NoObject);
    };
    if let Some(inner) = members.shift_remove(WRAPPER) {
        if !members.is_empty() {
            tracing::warn!("members beside 'hooks' are ignored in a hook configuration");
        }
        let Value::Object(inner) = inner else {
            return Err(HookConfigError::NoObject);
        };
        members = inner;
    }
    let mut config = HookConfig::default();
    let mut seen = Vec::new();
    for (spelling, hooks) in members {
        let Some(event) = event_named(&spelling) else {
            return Err(HookConfigError::UnknownEvent(spelling));
        };
        if seen.contains(&event) {
            let event = member(event);
            return Err(HookConfigError::Twice { event, spelling });
        }
        seen.push(event);
        *matchers_mut(&mut config, event) = read_matchers(event, hooks)?;
    }
    check(&config)?;
    Ok(config)
}

fn read_matchers(
    event: HookEventType,
    mut hooks: Value,
) -> Result<Vec<HookMatcher>, HookConfigError> {
    for definition in definitions(&mut hooks) {
        // Only a hook that is a command has one.
        definition
            .entry("command")
            .or_insert_with(|| Value::String(String::new()));
    }
    Reading::strict()
        .coercing()
        .from_value(hooks)
        .map_err(|source| HookConfigError::Shape {
            event: member(event),
            source,
        })
}

/// The objects of all hooks in a list of matchers, as far as it has the right shape.
fn definitions(matchers: &mut Value) -> impl Iterator<Item = &mut Map<String, Value>> {
    let matchers = matchers.as_array_mut().into_iter().flatten();
    let hooks = matchers
        .filter_map(|matcher| matcher.get_mut("hooks")?.as_array_mut())
        .flatten();
    hooks.filter_map(Value::as_object_mut)
}

/// Checks that every hook can do something: hooks that came with a request are read without this.
pub fn check(config: &HookConfig) -> Result<(), HookConfigError> {
    for event in EVENTS {
        let hooks = matchers(config, event).iter();
        for (index, hook) in hooks.flat_map(|matcher| &matcher.hooks).enumerate() {
            if let Some(problem) = problem(hook) {
                return Err(HookConfigError::Definition {
                    event: member(event),
                    number: index + 1,
                    problem,
                });
            }
        }
    }
    Ok(())
}

fn problem(hook: &HookDefinition) -> Option<&'static str> {
    let has_prompt = hook
        .prompt
        .as_ref()
        .is_some_and(|prompt| !prompt.is_empty());
    match hook.kind {
        HookType::Command if hook.command.is_empty() => Some("a command hook needs a 'command'"),
        HookType::Prompt if !has_prompt => Some("a prompt hook needs a 'prompt'"),
        HookType::Prompt | HookType::Agent if !hook.command.is_empty() => {
            Some("only a command hook can have a 'command'")
        }
        HookType::Prompt | HookType::Agent if hook.is_async => {
            Some("only a command hook can be 'async'")
        }
        HookType::Command | HookType::Prompt | HookType::Agent => None,
        HookType::Other(_) => Some("the type must be 'command', 'prompt' or 'agent'"),
    }
}

/// All hooks of several configurations, in their order. `None` if there is no matcher in any of them.
pub fn merge(configs: impl IntoIterator<Item = HookConfig>) -> Option<HookConfig> {
    let mut merged = HookConfig::default();
    for mut config in configs {
        for event in EVENTS {
            matchers_mut(&mut merged, event).append(matchers_mut(&mut config, event));
        }
    }
    (!is_empty(&merged)).then_some(merged)
}

/// Whether there is no matcher for any event.
pub fn is_empty(config: &HookConfig) -> bool {
    EVENTS
        .iter()
        .all(|event| matchers(config, *event).is_empty())
}

const EVENTS: [HookEventType; 6] = [
    HookEventType::PreToolUse,
    HookEventType::PostToolUse,
    HookEventType::UserPromptSubmit,
    HookEventType::SessionStart,
    HookEventType::SessionEnd,
    HookEventType::Stop,
];

/// The hooks of an event.
pub(super) fn matchers(config: &HookConfig, event: HookEventType) -> &[HookMatcher] {
    match event {
        HookEventType::PreToolUse => &config.pre_tool_use,
        HookEventType::PostToolUse => &config.post_tool_use,
        HookEventType::UserPromptSubmit => &config.user_prompt_submit,
        HookEventType::SessionStart => &config.session_start,
        HookEventType::SessionEnd => &config.session_end,
        HookEventType::Stop => &config.stop,
    }
}

fn matchers_mut(config: &mut HookConfig, event: HookEventType) -> &mut Vec<HookMatcher> {
    match event {
        HookEventType::PreToolUse => &mut config.pre_tool_use,
        HookEventType::PostToolUse => &mut config.post_tool_use,
        HookEventType::UserPromptSubmit => &mut config.user_prompt_submit,
        HookEventType::SessionStart => &mut config.session_start,
        HookEventType::SessionEnd => &mut config.session_end,
        HookEventType::Stop => &mut config.stop,
    }
}

fn member(event: HookEventType) -> &'static str {
    match event {
        HookEventType::PreToolUse => "pre_tool_use",
        HookEventType::PostToolUse => "post_tool_use",
        HookEventType::UserPromptSubmit => "user_prompt_submit",
        HookEventType::SessionStart => "session_start",
        HookEventType::SessionEnd => "session_end",
        HookEventType::Stop => "stop",
    }
}

/// The event of a member in either spelling: `PreToolUse` and `preToolUse` are `pre_tool_use`.
fn event_named(spelling: &str) -> Option<HookEventType> {
    let mut name = String::with_capacity(spelling.len() + 3);
    for (index, letter) in spelling.chars().enumerate() {
        if letter.is_ascii_uppercase() && index > 0 {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    EVENTS.into_iter().find(|event| member(*event) == name)
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;

//! From front matter and body to a skill: which kind it is, and what its fields say.

use indexmap::IndexMap;
use openhands_protocol::mcp::McpServer;
use openhands_protocol::skills::{
    InputMetadata, KeywordTrigger, PathTrigger, Skill, SkillResources, SkillTrigger, TaskTrigger,
};
use openhands_tools::{arguments, truncate};
use serde_json::{Map, Value};

use crate::skills::error::SkillError;

/// How long a description may be, in characters.
const MAX_DESCRIPTION_CHARS: usize = 1024;

/// Ends a task that has blanks to fill in.
const ASK_FOR_VALUES: &str = "\n\nThis task needs the values named above. Ask the user for every one that \
was not given, and wait for the answer, before you begin.";

/// The parts that a skill is made of.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) name: String,
    pub(crate) content: String,
    pub(crate) source: String,
    pub(crate) mcp_tools: Option<IndexMap<String, McpServer>>,
    pub(crate) resources: Option<SkillResources>,
    pub(crate) is_agentskills_format: bool,
}

/// A skill, and what of its front matter has no effect.
#[derive(Debug)]
pub(crate) struct Composed {
    pub(crate) skill: Skill,
    pub(crate) ignored: Option<String>,
}

/// Puts a skill together. `paths` make it a rule, else `inputs` a task, else `triggers` knowledge, else it is always on.
pub(crate) fn compose(parts: Parts, head: &Map<String, Value>) -> Result<Composed, SkillError> {
    let triggers = triggers(head)?;
    let paths = paths(head)?;
    let mut ignored = None;
    let mut inputs = Vec::new();
    let trigger: Option<SkillTrigger> = if !paths.is_empty() {
        let lost = [
            ("triggers", !triggers.is_empty()),
            ("inputs", head.contains_key("inputs")),
        ];
        let lost: Vec<&str> = lost
            .iter()
            .filter(|(_, is_lost)| *is_lost)
            .map(|(name, _)| *name)
            .collect();
        ignored = (!lost.is_empty()).then(|| {
            format!(
                "'paths' makes this a rule for files, so its '{}' has no effect",
                lost.join("' and '")
            )
        });
        Some(
            PathTrigger {
                paths,
                ..PathTrigger::default()
            }
            .into(),
        )
    } else if head.contains_key("inputs") {
        inputs = self::inputs(head)?;
        let mut triggers = triggers;
        let by_name = format!("/{}", parts.name);
        if !triggers.contains(&by_name) {
            triggers.push(by_name);
        }
        Some(
            TaskTrigger {
                triggers,
                ..TaskTrigger::default()
            }
            .into(),
        )
    } else if !triggers.is_empty() {
        Some(
            KeywordTrigger {
                keywords: triggers,
                ..KeywordTrigger::default()
            }
            .into(),
        )
    } else {
        None
    };
    let skill = Skill {
        name: parts.name,
        content: parts.content,
        trigger,
        source: Some(parts.source),
        mcp_tools: parts.mcp_tools,
        inputs,
        is_agentskills_format: parts.is_agentskills_format,
        description: scalar(head, "description")?,
        license: scalar(head, "license")?,
        compatibility: scalar(head, "compatibility")?,
        metadata: metadata(head)?,
        allowed_tools: allowed_tools(head)?,
        disable_model_invocation: disable_model_invocation(head)?,
        resources: parts.resources,
        ..Skill::default()
    };
    Ok(Composed {
        skill: settle(skill),
        ignored,
    })
}

/// The rules that hold for every skill, wherever it comes from: descriptions are short, a task asks for what it lacks,
/// and a path rule is never offered to the model. Doing it twice changes nothing.
pub fn settle(mut skill: Skill) -> Skill {
    if let Some(description) = &skill.description {
        let notice = skill.source.as_ref().map_or_else(
            || truncate::DEFAULT_NOTICE.to_owned(),
            |source| {
                format!(
                    "<response clipped><NOTE>This description is too long to be shown whole. The skill is at {source}.</NOTE>"
                )
            },
        );
        let short = truncate::truncate_middle(description, MAX_DESCRIPTION_CHARS, &notice);
        skill.description = Some(short.into_owned());
    }
    match &skill.trigger {
        Some(SkillTrigger::Task(_)) => {
            let has_blanks = has_variable(&skill.content) || !skill.inputs.is_empty();
            if has_blanks && !skill.content.is_empty() && !skill.content.contains(ASK_FOR_VALUES) {
                skill.content.push_str(ASK_FOR_VALUES);
            }
        }
        Some(SkillTrigger::Path(_)) => skill.disable_model_invocation = true,
        Some(SkillTrigger::Keyword(_) | SkillTrigger::Unknown(_)) | None => {}
    }
    skill
}

/// Whether the text has a `${name}` to be filled in.
fn has_variable(text: &str) -> bool {
    text.split("${").skip(1).any(|rest| {
        let Some((name, _)) = rest.split_once('}') else {
            return false;
        };
        name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

fn triggers(head: &Map<String, Value>) -> Result<Vec<String>, SkillError> {
    let wrong = || SkillError::Field {
        field: "triggers",
        expected: "a list of texts",
    };
    match head.get("triggers") {
        None => Ok(Vec::new()),
        Some(Value::Array(words)) => words
            .iter()
            // A bare `yes` or `off` is a flag in YAML: its author meant the word, which is lost by now.
            .map(|word| {
                text_of(word)
                    .filter(|_| !word.is_boolean())
                    .ok_or_else(wrong)
            })
            .collect(),
        Some(
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_),
        ) => Err(wrong()),
    }
}

fn paths(head: &Map<String, Value>) -> Result<Vec<String>, SkillError> {
    let wrong = || SkillError::Field {
        field: "paths",
        expected: "a list of globs, or globs with commas between them",
    };
    let globs = match head.get("paths") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(globs)) => globs.split(',').map(str::to_owned).collect(),
        Some(Value::Array(globs)) => globs
            .iter()
            .map(|glob| text_of(glob).ok_or_else(wrong))
            .collect::<Result<_, _>>()?,
        Some(Value::Bool(_) | Value::Number(_) | Value::Object(_)) => return Err(wrong()),
    };
    let globs = globs
        .iter()
        .map(|glob| glob.trim())
        .filter(|glob| !glob.is_empty());
    Ok(globs.map(str::to_owned).collect())
}

fn inputs(head: &Map<String, Value>) -> Result<Vec<InputMetadata>, SkillError> {
    let wrong = || SkillError::Field {
        field: "inputs",
        expected: "a list of names with descriptions",
    };
    let list = head
        .get("inputs")
        .and_then(Value::as_array)
        .ok_or_else(wrong)?;
    list.iter()
        .map(|input| {
            let field = |name| input.get(name).and_then(text_of).ok_or_else(wrong);
            Ok(InputMetadata {
                name: field("name")?,
                description: field("description")?,
                ..InputMetadata::default()
            })
        })
        .collect()
}

fn metadata(head: &Map<String, Value>) -> Result<Option<IndexMap<String, String>>, SkillError> {
    match head.get("metadata") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(members)) => {
            let words = |value: &Value| match value {
                // compat: the word that the reference stores for it.
                Value::Null => "None".to_owned(),
                value => text_of(value).unwrap_or_else(|| value.to_string()),
            };
            let members = members.iter();
            Ok(Some(
                members
                    .map(|(name, value)| (name.clone(), words(value)))
                    .collect(),
            ))
        }
        Some(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            Err(SkillError::Field {
                field: "metadata",
                expected: "a mapping",
            })
        }
    }
}

fn allowed_tools(head: &Map<String, Value>) -> Result<Option<Vec<String>>, SkillError> {
    match head
        .get("allowed-tools")
        .or_else(|| head.get("allowed_tools"))
    {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(names)) => {
            Ok(Some(names.split_whitespace().map(str::to_owned).collect()))
        }
        Some(Value::Array(names)) => Ok(Some(
            names
                .iter()
                .map(|name| text_of(name).unwrap_or_else(|| name.to_string()))
                .collect(),
        )),
        Some(Value::Bool(_) | Value::Number(_) | Value::Object(_)) => Err(SkillError::Field {
            field: "allowed-tools",
            expected: "a text or a list",
        }),
    }
}

fn disable_model_invocation(head: &Map<String, Value>) -> Result<bool, SkillError> {
    let given = head
        .get("disable-model-invocation")
        .or_else(|| head.get("disable_model_invocation"));
    match given {
        None | Some(Value::Null) => Ok(false),
        Some(value) => arguments::flag(value).map_err(|_| SkillError::Field {
            field: "disable-model-invocation",
            expected: "true or false",
        }),
    }
}

/// A field of one word or sentence. YAML makes numbers and flags of some unquoted ones; they are text here.
pub(crate) fn scalar(
    head: &Map<String, Value>,
    field: &'static str,
) -> Result<Option<String>, SkillError> {
    match head.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => text_of(value).map(Some).ok_or(SkillError::Field {
            field,
            expected: "a text",
        }),
    }
}

/// A scalar as text.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        // compat: the words that the reference stores for them.
        Value::Bool(true) => Some("True".to_owned()),
        Value::Bool(false) => Some("False".to_owned()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
#[path = "compose_tests.rs"]
mod tests;

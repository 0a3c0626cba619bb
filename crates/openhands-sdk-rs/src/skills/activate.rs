//! Skills that come up by themselves: when a message has their word, when a file they are for is touched.

use std::path::{Component, Path, PathBuf};

use openhands_protocol::message::{Content, Message};
use openhands_protocol::skills::Skill;
use openhands_protocol::tool::Action;
use serde_json::Value;

use crate::skills::trigger::{glob_for_path, word_in_message};

/// Text to be added for the model, and the skills that it stems from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activation {
    /// What the model gets to read.
    pub text: String,
    /// To be remembered, so that each comes up once in a conversation. Empty if the text is a suffix alone.
    pub names: Vec<String>,
}

/// What a user's message brings up beyond those in `activated`, and `suffix` after it. None if there is nothing to add.
pub fn for_message(
    skills: &[Skill],
    message: &Message,
    activated: &[String],
    suffix: Option<&str>,
) -> Option<Activation> {
    let words: Vec<&str> = message
        .content
        .iter()
        .filter_map(|part| match part {
            Content::Text(text) => Some(text.text.as_str()),
            Content::Image(_) | Content::Unknown(_) => None,
        })
        .collect();
    let words = words.join("\n");
    let mut names = Vec::new();
    let mut blocks = Vec::new();
    for skill in skills {
        if activated.contains(&skill.name) {
            continue;
        }
        if let Some(word) = word_in_message(skill, &words) {
            names.push(skill.name.clone());
            blocks.push(keyword_block(skill, word));
        }
    }
    blocks.extend(
        suffix
            .map(str::trim)
            .filter(|suffix| !suffix.is_empty())
            .map(str::to_owned),
    );
    (!blocks.is_empty()).then(|| Activation {
        text: blocks.join("\n"),
        names,
    })
}

/// The rules for a path (as [`touched_path`] gives it) beyond those in `activated`. None if there are none.
pub fn for_path(skills: &[Skill], path: &str, activated: &[String]) -> Option<Activation> {
    let mut names = Vec::new();
    let mut blocks = Vec::new();
    for skill in skills {
        if activated.contains(&skill.name) {
            continue;
        }
        if let Some(glob) = glob_for_path(skill, path) {
            names.push(skill.name.clone());
            blocks.push(rule_block(skill, glob));
        }
    }
    (!blocks.is_empty()).then(|| Activation {
        text: blocks.join("\n"),
        names,
    })
}

fn keyword_block(skill: &Skill, word: &str) -> String {
    let location = skill.source.as_ref().map(|source| {
        format!("Skill location: {source}\n(Relative paths in the skill start from the directory of that file.)\n")
    });
    format!(
        "<EXTRA_INFO>\nThe message mentions \"{word}\", so this skill was added. Use it where it helps with the request; \
leave it aside where it does not.\n{}\n{}\n</EXTRA_INFO>",
        location.unwrap_or_default(),
        skill.content,
    )
}

fn rule_block(skill: &Skill, glob: &str) -> String {
    let location = skill
        .source
        .as_ref()
        .map(|source| format!("Rule location: {source}\n"));
    format!(
        "<EXTRA_INFO>\nYou touched a file that matches \"{glob}\". This rule is for such files: keep to it whenever you \
work on them.\n{}\n{}\n</EXTRA_INFO>",
        location.unwrap_or_default(),
        skill.content,
    )
}

/// The path that an action touches, relative to the workspace. None if it has no path, or one outside.
///
/// `roots` are the names of the workspace's root: as it was given and, if it is a link, where that leads.
pub fn touched_path(action: &Action, roots: &[&Path]) -> Option<String> {
    let given = Path::new(argument(action).filter(|path| !path.is_empty())?);
    let relative = if given.is_absolute() {
        let given = without_dots(given)?;
        let below = roots
            .iter()
            .find_map(|root| given.strip_prefix(root).ok())?;
        below.to_owned()
    } else {
        without_dots(given)?
    };
    relative.to_str().map(str::to_owned)
}

/// The argument that names a file or directory. The tools do not all call it the same.
fn argument(action: &Action) -> Option<&str> {
    match action {
        Action::FileEditor(action) => Some(&action.path),
        Action::PlanningFileEditor(action) => Some(&action.path),
        Action::Grep(action) => action.path.as_deref(),
        Action::Glob(action) => action.path.as_deref(),
        Action::ReadFile(action) => Some(&action.file_path),
        Action::WriteFile(action) => Some(&action.file_path),
        Action::Edit(action) => Some(&action.file_path),
        Action::Client(raw) | Action::Unknown(raw) => {
            raw.body().get("path").and_then(Value::as_str)
        }
        _ => None,
    }
}

/// The path without `.` and `..`; none if it leads above where it starts.
fn without_dots(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() {
                    return None;
                }
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    Some(out)
}

#[cfg(test)]
#[path = "activate_tests.rs"]
mod tests;

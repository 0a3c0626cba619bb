//! The question to the classifier, and its answer.

use std::fmt::Write as _;
use std::sync::LazyLock;

use openhands_protocol::agent::MetaProfile;
use openhands_protocol::message::{Message, Role};
use regex::{Captures, Regex};
use serde_json::Value;

const ROLE: &str = "You decide which model gets a task.";

/// The messages that the classifier gets. There is always one of the user: some providers want it.
pub(super) fn question(rules: &MetaProfile, transcript: &str) -> Vec<Message> {
    match &rules.prompt_template {
        None => {
            let mut text = format!(
                "{ROLE}\n\nRead the end of a conversation and say which of these classes its present task belongs to:\n\n"
            );
            for (at, class) in rules.classes.iter().enumerate() {
                let _ = writeln!(text, "{}. {}", at + 1, class.description);
            }
            text.push_str(
                "\nAnswer with the number of the class that fits best and nothing else, or with 0 if none fits.",
            );
            vec![
                Message::text(Role::System, text),
                Message::text(
                    Role::User,
                    format!("The end of the conversation:\n{transcript}\n\nNumber of the class:"),
                ),
            ]
        }
        Some(template) => {
            let table = rules.model_table.as_deref().unwrap_or_default();
            vec![
                Message::text(Role::System, ROLE),
                Message::text(Role::User, filled(template, transcript, table)),
            ]
        }
    }
}

/// A template with its two placeholders filled. What is filled in is not looked at again.
fn filled(template: &str, transcript: &str, table: &str) -> String {
    static PLACE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\{\{\s*(instance_text|model_table)\s*\}\}").ok());
    let Some(place) = &*PLACE else {
        return template.to_owned();
    };
    let text = place.replace_all(template, |found: &Captures<'_>| {
        match found.get(1).map(|name| name.as_str()) {
            Some("instance_text") => transcript.to_owned(),
            _ => table.to_owned(),
        }
    });
    text.trim().to_owned()
}

/// The class and the saved model that an answer names, if it names any that there is.
pub(super) fn read(rules: &MetaProfile, reply: &str, saved: &[String]) -> Option<(String, String)> {
    if rules.prompt_template.is_some() {
        let profile = model_in(reply, saved)?;
        return Some((format!("model: {profile}"), profile));
    }
    let number = number_in(reply)?;
    let class = rules.classes.get(number.checked_sub(1)?)?;
    Some((class.description.clone(), class.model.clone()))
}

/// The first number of an answer; none if it is negative or beyond all bounds.
fn number_in(reply: &str) -> Option<usize> {
    static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"-?\d+").ok());
    let number = NUMBER.as_ref()?.find(reply)?;
    number.as_str().parse().ok()
}

/// The saved model that an answer names: as `model` in a JSON object, or else anywhere, the longest name first.
fn model_in(reply: &str, saved: &[String]) -> Option<String> {
    let named = reply
        .find('{')
        .zip(reply.rfind('}'))
        .and_then(|(from, to)| reply.get(from..=to))
        .and_then(|object| serde_json::from_str::<Value>(object).ok())
        .and_then(|object| Some(object.get("model")?.as_str()?.trim().to_lowercase()))
        .filter(|name| !name.is_empty());
    if let Some(named) = named {
        return saved
            .iter()
            .find(|name| name.to_lowercase() == named)
            .cloned();
    }
    let text = reply.to_lowercase();
    saved
        .iter()
        .filter(|name| text.contains(&name.to_lowercase()))
        .max_by_key(|name| name.chars().count())
        .cloned()
}

#[cfg(test)]
#[path = "choice_tests.rs"]
mod tests;

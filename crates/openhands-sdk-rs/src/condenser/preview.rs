//! What the model is told when it is to sum up: the task, and a short text for each event.

use openhands_protocol::event::Source;
use openhands_protocol::message::{Content, Message, Role};

use crate::view::{ItemRole, ViewItem};

/// The longest text of an event, in characters.
pub(super) const MAX_CHARS: usize = 500;
/// Stands where text was left out.
const ELLIPSIS: &str = "...";

const INSTRUCTIONS: &str = "\
A software agent works on a task, and its history has grown too long to be carried along. Below you get the part of \
the history that is about to be dropped, oldest event first. Write the note that takes its place. The agent will read \
nothing else about these events, so whatever is not in your note is lost.

How to write it:
- A dropped part may begin with an earlier note of this kind. Carry over what still matters in it.
- State facts, not a story. Give exact names: paths, functions, commands, identifiers, branches, error texts, numbers.
- Tell apart what is done and checked, what is done and unchecked, and what is open.
- If there is a task list, repeat each entry with its exact identifier and its status.
- Leave out what no longer matters: failed tries that taught nothing, output that was only passed through.
- Do not answer the user and do not continue the work. Write the note only.

Use these headings and leave out those that would be empty:
GOAL: what the user wants, with every condition, preference and correction the user gave
TASKS: the task list with identifiers and statuses
DONE: what was finished, and how it was checked
OPEN: what is left to do, in order
STATE: where things stand now, such as values found, services running, the present directory
FILES: files made or changed, and what in them matters
CHECKS: tests and commands that matter, with their last result and failing cases
DEPENDENCIES: packages, versions and outside services in use
REPOSITORY: branch, commits, pull requests
LESSONS: what did not work and should not be tried again";

/// The messages that ask for a summary of these events, each cut to a length.
pub(super) fn question<'a>(
    items: impl IntoIterator<Item = &'a ViewItem>,
    max_chars: usize,
) -> [Message; 2] {
    let mut text = String::from("The events to be dropped:\n");
    for item in items {
        text.push_str("\n<event>\n");
        text.push_str(&cut(&preview(item), max_chars));
        text.push_str("\n</event>\n");
    }
    text.push_str("\nWrite the note now.");
    [
        Message::text(Role::System, INSTRUCTIONS),
        Message::text(Role::User, text),
    ]
}

/// A short text that stands for an event.
pub(super) fn preview(item: &ViewItem) -> String {
    let message = item.message();
    let said = body(message);
    let text = match item.role() {
        ItemRole::System => format!("system prompt: {said}"),
        ItemRole::Summary => format!("earlier note: {said}"),
        ItemRole::Message => format!("{} says: {said}", speaker(item.source())),
        ItemRole::Action(_) => {
            let call = message.tool_calls.iter().flatten().next();
            let call = call.map_or_else(String::new, |call| {
                format!("agent calls {} with {}", call.name, call.arguments)
            });
            if said.is_empty() {
                call
            } else {
                // The thought must not push the call itself out of the preview.
                format!("{call}\nthought: {}", cut(&said, MAX_CHARS / 2))
            }
        }
        ItemRole::Result(_) => {
            format!(
                "{} answers: {said}",
                message.name.as_deref().unwrap_or("tool")
            )
        }
    };
    let limit = if *item.role() == ItemRole::Summary {
        // It stands for many events, and is all that is left of them.
        usize::MAX
    } else {
        MAX_CHARS
    };
    cut(&text, limit)
}

fn speaker(source: Source) -> &'static str {
    match source {
        Source::Agent => "agent",
        Source::User => "user",
        Source::Environment => "environment",
        Source::Hook => "hook",
    }
}

fn body(message: &Message) -> String {
    let parts: Vec<_> = message
        .content
        .iter()
        .map(|part| match part {
            Content::Text(text) => text.text.clone(),
            Content::Image(image) => format!("[{} image(s)]", image.image_urls.len()),
            Content::Unknown(_) => "[unknown part]".to_owned(),
        })
        .filter(|text| !text.is_empty())
        .collect();
    parts.join("\n")
}

/// The start of a text, with dots in place of what is left out.
pub(super) fn cut(text: &str, max_chars: usize) -> String {
    if text.chars().nth(max_chars).is_none() {
        return text.to_owned();
    }
    let kept = max_chars.saturating_sub(ELLIPSIS.len());
    let dots = ELLIPSIS.chars().take(max_chars);
    text.chars().take(kept).chain(dots).collect()
}

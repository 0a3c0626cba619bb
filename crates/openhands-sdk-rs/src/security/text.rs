//! The texts of an action that analyzers look at.

use openhands_protocol::event::ActionEvent;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

/// How many characters are looked at. More would only cost time: what a person can review is far shorter.
const MAX_CHARS: usize = 30_000;

/// What of an action can run: the tool's name, and each string in the call's arguments.
pub(super) fn executable(action: &ActionEvent) -> Executable {
    let mut room = MAX_CHARS;
    let mut strings = Vec::new();
    match serde_json::from_str(&action.tool_call.arguments) {
        Ok(arguments) => collect(&arguments, &mut room, &mut strings),
        // Arguments that are no JSON are looked at as they are.
        Err(_) => take(&action.tool_call.arguments, &mut room, &mut strings),
    }
    Executable {
        tool: action.tool_name.clone(),
        strings,
    }
}

/// See [`executable`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Executable {
    tool: String,
    pub(super) strings: Vec<String>,
}

impl Executable {
    /// All of it as one text.
    pub(super) fn joined(&self) -> String {
        let mut text = self.tool.clone();
        for string in &self.strings {
            text.push(' ');
            text.push_str(string);
        }
        text
    }
}

/// What the model said about the action, as one text.
pub(super) fn spoken(action: &ActionEvent) -> String {
    let thought = action.thought.iter().map(|part| part.text.as_str());
    let asides = [
        action.reasoning_content.as_deref(),
        action.summary.as_deref(),
    ];
    let mut room = MAX_CHARS;
    let mut strings = Vec::new();
    for text in thought.chain(asides.into_iter().flatten()) {
        take(text, &mut room, &mut strings);
    }
    strings.join(" ")
}

fn collect(value: &Value, room: &mut usize, strings: &mut Vec<String>) {
    match value {
        Value::String(text) => take(text, room, strings),
        Value::Array(items) => items.iter().for_each(|item| collect(item, room, strings)),
        Value::Object(fields) => fields
            .values()
            .for_each(|item| collect(item, room, strings)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn take(text: &str, room: &mut usize, strings: &mut Vec<String>) {
    if *room == 0 || text.is_empty() {
        return;
    }
    let taken: String = text.chars().take(*room).collect();
    *room -= taken.chars().count();
    strings.push(taken);
}

/// `text` without invisible characters, and with look-alikes such as full-width letters folded.
pub(super) fn normalize(text: &str) -> String {
    text.chars()
        .filter(|character| !is_invisible(*character))
        .nfkc()
        .collect()
}

/// Characters that show nothing: controls, joiners, direction marks, variation selectors, fillers and tags.
fn is_invisible(character: char) -> bool {
    match character {
        '\t' | '\n' | '\r' => false,
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        other => other.is_control(),
    }
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;

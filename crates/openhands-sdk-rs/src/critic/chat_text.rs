//! A conversation as one text, in the form that the critic's model was trained on.
//!
//! It is the chat format of the Qwen3 instruct models: each message between start and end marks, tools listed in the
//! system message, tool results inside user turns.

use std::io::{self, Write};
use std::sync::Arc;

use openhands_protocol::ToolSpec;
use openhands_protocol::message::{Content, Message, Role};
use serde::Serialize;
use serde_json::json;
use serde_json::ser::{Formatter, Serializer};

/// Tokenizers with this form.
const FAMILY: &str = "Qwen/Qwen3-";
const START: &str = "<|im_start|>";
const END: &str = "<|im_end|>\n";

/// Whether the tokenizer's chat form is this one. Those of thinking models differ.
pub(super) fn is_known(tokenizer: &str) -> bool {
    tokenizer
        .strip_prefix(FAMILY)
        .is_some_and(|rest| rest.contains("Instruct"))
}

/// The whole conversation. Calls are not part of it: the critic reads what was said and what tools answered.
pub(super) fn of(messages: &[Arc<Message>], tools: &[ToolSpec]) -> String {
    let mut text = String::new();
    let mut rest = messages.iter().peekable();
    let system = rest.next_if(|first| first.role == Role::System);
    let system = system.map(|message| said(message));
    if !tools.is_empty() {
        text.push_str(START);
        text.push_str("system\n");
        if let Some(system) = system {
            text.push_str(&system);
            text.push_str("\n\n");
        }
        push_tools(&mut text, tools);
        text.push_str(END);
    } else if let Some(system) = system {
        push_turn(&mut text, "system", &system);
    }
    while let Some(message) = rest.next() {
        match message.role {
            Role::User => push_turn(&mut text, "user", &said(message)),
            Role::System => push_turn(&mut text, "system", &said(message)),
            Role::Assistant => push_turn(&mut text, "assistant", &said(message)),
            Role::Tool => {
                text.push_str(START);
                text.push_str("user");
                push_result(&mut text, message);
                while let Some(next) = rest.next_if(|next| next.role == Role::Tool) {
                    push_result(&mut text, next);
                }
                text.push_str(END);
            }
        }
    }
    text
}

fn push_turn(text: &mut String, who: &str, said: &str) {
    for piece in [START, who, "\n", said, END] {
        text.push_str(piece);
    }
}

fn push_result(text: &mut String, message: &Message) {
    for piece in ["\n<tool_response>\n", &said(message), "\n</tool_response>"] {
        text.push_str(piece);
    }
}

fn push_tools(text: &mut String, tools: &[ToolSpec]) {
    text.push_str(
        "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n\
         You are provided with function signatures within <tools></tools> XML tags:\n<tools>",
    );
    for tool in tools {
        let tool = json!({
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.input_schema,
            },
        });
        text.push('\n');
        text.push_str(&spaced(&tool));
    }
    text.push_str(
        "\n</tools>\n\nFor each function call, return a json object with function name and arguments within \
         <tool_call></tool_call> XML tags:\n<tool_call>\n\
         {\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>",
    );
}

fn said(message: &Message) -> String {
    let texts: Vec<_> = message
        .content
        .iter()
        .filter_map(Content::as_text)
        .collect();
    texts.join("\n")
}

/// JSON with a space after commas and colons, as the model saw it in training.
fn spaced(value: &serde_json::Value) -> String {
    let mut bytes = Vec::new();
    let written = value.serialize(&mut Serializer::with_formatter(&mut bytes, Spaced));
    match written {
        Ok(()) => String::from_utf8(bytes).unwrap_or_default(),
        Err(_) => value.to_string(),
    }
}

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        out.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        out.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}

#[cfg(test)]
#[path = "chat_text_tests.rs"]
mod tests;

//! Writes tools, calls and results as text.

use std::fmt::Write;
use std::sync::Arc;

use openhands_protocol::ToolSpec;
use openhands_protocol::message::{Content, Message, MessageToolCall, Role};
use serde_json::Value;

use crate::by_arc::ByArc;
use crate::spaced_json;

/// Models that were trained on the format and are only confused by an example.
const NEED_NO_EXAMPLE: &[&str] = &["openhands-lm", "devstral", "nemotron"];

const INTRODUCTION: &str = "\
You can use the tools below. To use one, write a call in exactly this form:

<function=tool_name>
<parameter=first_parameter>value</parameter>
<parameter=second_parameter>
a value
with several lines
</parameter>
</function>

Rules for calls:
- A call starts with `<function=` and ends with `</function>`.
- Every required parameter must be there, and no parameter that the tool does not list.
- One call per message, at its end. You may explain yourself before the call, never after it.
- The result comes in the next message. Do not make results up.

The tools:
";

const EXAMPLE_BEFORE: &str = "\
Here is a short example of how tools are used. It is not part of the task.

--- example begins ---
USER: How many lines has notes.txt?

ASSISTANT: I count them.
";

const EXAMPLE_AFTER: &str = "
--- example ends ---

The task follows. Remember the form of calls shown above.

";

/// What was made of messages for earlier requests.
pub(super) type Encoded = ByArc<Message, Arc<Message>>;

/// The messages as a model without native calls reads them.
pub(super) fn encode(
    messages: &[Arc<Message>],
    tools: &[ToolSpec],
    model: &str,
    encoded: &Encoded,
) -> Vec<Arc<Message>> {
    let with_example = !NEED_NO_EXAMPLE.iter().any(|name| model.contains(name));
    let mut example = with_example.then(|| example(tools)).flatten();
    let mut described = false;
    let mut round = encoded.round();
    let mut known = |message: &Arc<Message>, encode: fn(&Arc<Message>) -> Arc<Message>| {
        round.find(message, 0).unwrap_or_else(|| {
            let made = encode(message);
            // One that stays as it is would be kept alive by its own entry.
            if !Arc::ptr_eq(&made, message) {
                let bytes = made
                    .content
                    .iter()
                    .filter_map(Content::as_text)
                    .map(str::len);
                round.keep(message, 0, Arc::clone(&made), bytes.sum());
            }
            made
        })
    };
    let mut out = Vec::with_capacity(messages.len() + 1);
    for message in messages {
        out.push(match message.role {
            Role::System if !described => {
                described = true;
                with_description(message, tools)
            }
            Role::System => Arc::clone(message),
            Role::User => match example.take() {
                Some(example) => in_front(message, example),
                None => Arc::clone(message),
            },
            Role::Assistant => known(message, with_calls),
            Role::Tool => known(message, result),
        });
    }
    if !described {
        out.insert(0, Arc::new(Message::text(Role::System, description(tools))));
    }
    out
}

fn with_description(message: &Message, tools: &[ToolSpec]) -> Arc<Message> {
    let mut message = message.clone();
    message
        .content
        .push(Content::text(format!("\n\n{}", description(tools))));
    Arc::new(message)
}

fn description(tools: &[ToolSpec]) -> String {
    let mut text = INTRODUCTION.to_owned();
    for tool in tools {
        let _ = write!(text, "\n## {}\n{}\n", tool.name, tool.description);
        let required: Vec<_> = tool
            .input_schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let properties = tool
            .input_schema
            .get("properties")
            .and_then(Value::as_object);
        for (name, schema) in properties.into_iter().flatten() {
            let kind = schema
                .get("type")
                .and_then(Value::as_str)
                .unwrap_or("string");
            let need = if required.contains(&name.as_str()) {
                "required"
            } else {
                "optional"
            };
            let about = schema
                .get("description")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let _ = write!(text, "- {name} ({kind}, {need}): {about}");
            if let Some(choices) = schema.get("enum") {
                let _ = write!(text, " One of {}.", spaced_json::to_text(choices));
            }
            text.push('\n');
        }
    }
    text
}

/// An example with a tool that is really there, or none.
fn example(tools: &[ToolSpec]) -> Option<String> {
    tools.iter().find(|tool| tool.name == "terminal")?;
    let call = call_text("terminal", r#"{"command": "wc -l notes.txt"}"#);
    let result = format!("{}17 notes.txt", result_head("terminal"));
    Some(format!(
        "{EXAMPLE_BEFORE}{call}\n\nUSER: {result}\n\nASSISTANT: notes.txt has 17 lines.{EXAMPLE_AFTER}"
    ))
}

fn in_front(message: &Message, text: String) -> Arc<Message> {
    let mut message = message.clone();
    message.content.insert(0, Content::text(text));
    Arc::new(message)
}

fn with_calls(message: &Arc<Message>) -> Arc<Message> {
    let Some(calls) = message
        .tool_calls
        .as_ref()
        .filter(|calls| !calls.is_empty())
    else {
        return Arc::clone(message);
    };
    let mut text = Content::join_text(&message.content);
    for MessageToolCall {
        name, arguments, ..
    } in calls
    {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(&call_text(name, arguments));
    }
    Arc::new(Message {
        role: Role::Assistant,
        content: vec![Content::text(text)],
        reasoning_content: message.reasoning_content.clone(),
        ..Message::default()
    })
}

/// A call in the form that the model is asked to write.
pub(super) fn call_text(name: &str, arguments: &str) -> String {
    let mut text = format!("<function={name}>\n");
    let arguments = serde_json::from_str::<Value>(arguments).unwrap_or_default();
    for (key, value) in arguments.as_object().into_iter().flatten() {
        let value = match value {
            Value::String(text) => text.clone(),
            other => spaced_json::to_text(other),
        };
        let _ = if value.contains('\n') {
            writeln!(text, "<parameter={key}>\n{value}\n</parameter>")
        } else {
            writeln!(text, "<parameter={key}>{value}</parameter>")
        };
    }
    text.push_str("</function>");
    text
}

fn result_head(name: &str) -> String {
    format!("EXECUTION RESULT of [{name}]:\n")
}

fn result(message: &Arc<Message>) -> Arc<Message> {
    let head = result_head(message.name.as_deref().unwrap_or("tool"));
    let texts: Vec<_> = message
        .content
        .iter()
        .filter_map(Content::as_text)
        .collect();
    let mut content = vec![Content::text(head + &texts.join("\n"))];
    content.extend(
        message
            .content
            .iter()
            .filter(|part| matches!(part, Content::Image(_)))
            .cloned(),
    );
    Arc::new(Message {
        role: Role::User,
        content,
        ..Message::default()
    })
}

#[cfg(test)]
#[path = "encode_tests.rs"]
mod tests;

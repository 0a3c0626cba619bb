//! Cases of calls written as text: a model's words in, a message with a call or an error out.

use std::sync::Arc;

use crate::format::string;
use anyhow::Context;
use openhands_protocol::ToolSpec;
use openhands_protocol::llm::Llm;
use openhands_protocol::message::{Content, Message, Role};
use openhands_sdk_rs::llm::{ChatModel, ChatRequest, PromptToolsModel, ScriptedModel};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Asks a model that says the recorded text, with the recorded tools.
pub(super) async fn run(case: &Value) -> anyhow::Result<Value> {
    let says = json!([{"text": string(case, "assistant_text"), "tools": []}]);
    let model = Arc::new(ScriptedModel::from_value(&says)?);
    let model = PromptToolsModel::new(model, &Llm::default());
    let question = Message::text(Role::User, "go");
    let request = ChatRequest::new([question]).with_tools(tools(case)?);
    let answer = match model.complete(request, CancellationToken::new()).await {
        Ok(answer) => answer.message,
        Err(error) => {
            return Ok(json!({"error_type": error.code(), "error": sorted_set(&error.message)}));
        }
    };
    let mut message = json!({
        "role": "assistant",
        "content": Content::join_text(&answer.content),
    });
    // compat: a call's index on the wire of the reference is the number in its id.
    let calls: Vec<_> = answer
        .tool_calls
        .iter()
        .flatten()
        .map(|call| {
            let number = call.id.as_str().trim_start_matches("toolu_");
            json!({
                "index": number.parse::<u64>().ok(),
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            })
        })
        .collect();
    if let (false, Some(members)) = (calls.is_empty(), message.as_object_mut()) {
        members.insert("tool_calls".to_owned(), json!(calls));
    }
    Ok(json!({"message": message}))
}

/// What is expected, with the names in a set in order: the recording has them as chance had it.
pub(super) fn expected(case: &Value) -> Value {
    let mut expected = case.get("expect").cloned().unwrap_or_default();
    if let Some(Value::String(error)) = expected.get_mut("error") {
        *error = sorted_set(error);
    }
    expected
}

fn tools(case: &Value) -> anyhow::Result<Vec<ToolSpec>> {
    let tools = case.get("tools").and_then(Value::as_array);
    tools
        .context("the file lists its tools")?
        .iter()
        .map(|tool| {
            let tool = tool.get("function").context("a tool is a function")?;
            let schema = tool.get("parameters").and_then(Value::as_object);
            Ok(ToolSpec {
                name: string(tool, "name"),
                description: string(tool, "description"),
                input_schema: schema.cloned().unwrap_or_default().into(),
                annotations: None,
                title: String::new(),
                kind: String::new(),
                action_type: String::new(),
                observation_type: None,
            })
        })
        .collect()
}

fn sorted_set(text: &str) -> String {
    let set = text
        .split_once('{')
        .and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    let Some((before, (inside, after))) = set else {
        return text.to_owned();
    };
    let mut names: Vec<_> = inside.split(", ").collect();
    names.sort_unstable();
    format!("{before}{{{}}}{after}", names.join(", "))
}

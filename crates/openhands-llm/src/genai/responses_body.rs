//! The body of a request to OpenAI's Responses API.

use bytes::Bytes;
use openhands_protocol::ToolSpec;
use openhands_protocol::message::{Content, Message, MessageToolCall, ReasoningItem, Role};
use serde_json::{Value, json};

use crate::genai::body::{Body, Renders, list};
use crate::genai::chat_body::{add_cache, bare_id};
use crate::genai::settings::Settings;
use crate::model::ChatRequest;

/// Between two blocks of the system prompt.
const BLOCK_SEPARATOR: &str = "\n\n---\n\n";
/// A plan refuses long instructions.
const SUBSCRIPTION_INSTRUCTIONS: &str =
    "You are an agent for software work. Your full instructions are the first message.";

/// The body, except for what is said about streaming.
pub(super) fn responses_body(
    request: &ChatRequest,
    settings: &Settings,
    renders: &Renders,
) -> Body {
    if settings.is_subscription {
        return subscription_body(request, settings, renders);
    }
    let mut body = Body::default();
    body.set("model", settings.model.as_str());
    body.set_some("instructions", instructions(request));
    let input = renders.messages(
        &request.messages,
        |_| 0,
        |message, _| items(message, settings),
    );
    body.set_text("input", list(input));
    if !request.tools.is_empty() {
        body.set_text("tools", vec![renders.tools(&request.tools, tools)]);
        body.set("tool_choice", "auto");
    }
    body.set("store", false);
    if settings.encrypted_reasoning && settings.features.reasoning_effort {
        body.set("include", json!(["reasoning.encrypted_content"]));
    }
    if let Some(effort) = &settings.effort {
        let mut reasoning = json!({"effort": effort});
        if let Some(summary) = &settings.summary {
            set(&mut reasoning, "summary", json!(summary));
        }
        body.set("reasoning", reasoning);
    }
    body.set_some("max_output_tokens", settings.max_output_tokens);
    body.set_some(
        "temperature",
        request.options.temperature.or(settings.temperature),
    );
    body.set_some("top_p", settings.top_p);
    add_cache(&mut body, request, settings);
    body.extend(&settings.extra_body);
    body
}

/// What a plan takes: short instructions, no settings for thinking, sampling and limits, and no items that only a
/// server which stored them could find. The system prompt goes in front of the conversation.
fn subscription_body(request: &ChatRequest, settings: &Settings, renders: &Renders) -> Body {
    let mut body = Body::default();
    body.set("model", settings.model.as_str());
    body.set("instructions", SUBSCRIPTION_INSTRUCTIONS);
    let context = instructions(request).map(|text| {
        let text = format!("Context (system prompt):\n{text}\n\n");
        json!({"role": "user", "content": [{"type": "input_text", "text": text}]})
    });
    let context = context.map(|item| Bytes::from(item.to_string()));
    let input = renders.messages(
        &request.messages,
        |_| 0,
        |message, _| {
            let mut items = items(message, settings);
            items.retain(|item| item.get("type") != Some(&json!("reasoning")));
            for item in &mut items {
                if item.get("type") == Some(&json!("message"))
                    && let Some(members) = item.as_object_mut()
                {
                    members.shift_remove("type");
                }
            }
            items
        },
    );
    body.set_text("input", list(context.into_iter().chain(input)));
    if !request.tools.is_empty() {
        body.set_text("tools", vec![renders.tools(&request.tools, tools)]);
        body.set("tool_choice", "auto");
    }
    body.set("store", false);
    let session = request.options.session.as_deref();
    body.set_some("prompt_cache_key", session);
    body.extend(&settings.extra_body);
    body
}

fn instructions(request: &ChatRequest) -> Option<String> {
    let blocks: Vec<_> = request
        .messages
        .iter()
        .filter(|message| message.role == Role::System)
        .flat_map(|message| message.content.iter().filter_map(Content::as_text))
        .collect();
    (!blocks.is_empty()).then(|| blocks.join(BLOCK_SEPARATOR))
}

fn tools(tools: &[ToolSpec]) -> Value {
    tools
        .iter()
        .map(|tool| {
            json!({
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.input_schema.0,
                "strict": false,
            })
        })
        .collect()
}

fn items(message: &Message, settings: &Settings) -> Vec<Value> {
    match message.role {
        Role::System => Vec::new(),
        Role::User => {
            let content = input_parts(message, settings);
            if content.is_empty() {
                return Vec::new();
            }
            vec![json!({"type": "message", "role": "user", "content": content})]
        }
        Role::Assistant => assistant_items(message),
        Role::Tool => vec![json!({
            "type": "function_call_output",
            "call_id": message.tool_call_id.as_ref().map(|id| bare_id(id.as_str())),
            "output": tool_output(message, settings),
        })],
    }
}

fn input_parts(message: &Message, settings: &Settings) -> Vec<Value> {
    let mut parts = Vec::new();
    for part in &message.content {
        match part {
            Content::Text(text) => parts.push(json!({"type": "input_text", "text": text.text})),
            Content::Image(image) if settings.features.vision => parts.extend(
                image
                    .image_urls
                    .iter()
                    .map(|url| json!({"type": "input_image", "image_url": url, "detail": "auto"})),
            ),
            Content::Image(_) | Content::Unknown(_) => {}
        }
    }
    parts
}

/// Plain text, unless a tool showed something.
fn tool_output(message: &Message, settings: &Settings) -> Value {
    let shows = settings.features.vision
        && message
            .content
            .iter()
            .any(|part| matches!(part, Content::Image(_)));
    if shows {
        return Value::Array(input_parts(message, settings));
    }
    let texts: Vec<_> = message
        .content
        .iter()
        .filter_map(Content::as_text)
        .collect();
    json!(texts.join("\n"))
}

fn assistant_items(message: &Message) -> Vec<Value> {
    let mut items = Vec::new();
    items.extend(
        message
            .responses_reasoning_item
            .as_ref()
            .and_then(reasoning_item),
    );
    let texts: Vec<_> = message
        .content
        .iter()
        .filter_map(Content::as_text)
        .filter(|text| !text.is_empty())
        .map(|text| json!({"type": "output_text", "text": text}))
        .collect();
    if !texts.is_empty() {
        items.push(json!({"type": "message", "role": "assistant", "content": texts}));
    }
    items.extend(message.tool_calls.iter().flatten().map(call_item));
    items
}

/// Reasoning goes back as it came. Without an id the provider cannot place it.
fn reasoning_item(item: &ReasoningItem) -> Option<Value> {
    let id = item.id.as_ref()?;
    let summary: Vec<_> = item
        .summary
        .iter()
        .map(|text| json!({"type": "summary_text", "text": text}))
        .collect();
    let mut out = json!({"type": "reasoning", "id": id, "summary": summary});
    if let Some(content) = &item.content {
        let content: Vec<_> = content
            .iter()
            .map(|text| json!({"type": "reasoning_text", "text": text}))
            .collect();
        set(&mut out, "content", Value::Array(content));
    }
    if let Some(encrypted) = &item.encrypted_content {
        set(&mut out, "encrypted_content", json!(encrypted));
    }
    if let Some(status) = &item.status {
        set(&mut out, "status", json!(status));
    }
    Some(out)
}

fn call_item(call: &MessageToolCall) -> Value {
    let call_id = bare_id(call.id.as_str());
    let id = match &call.responses_item_id {
        Some(id) => id.clone(),
        // The API refuses ids of another kind.
        None if call_id.starts_with("fc") => call_id.to_owned(),
        None => format!("fc_{call_id}"),
    };
    json!({
        "type": "function_call",
        "id": id,
        "call_id": call_id,
        "name": call.name,
        "arguments": call.arguments,
    })
}

fn set(object: &mut Value, name: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(name.to_owned(), value);
    }
}

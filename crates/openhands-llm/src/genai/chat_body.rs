//! The body of a request to OpenAI's chat completions.

use bytes::Bytes;
use openhands_protocol::ToolSpec;
use openhands_protocol::message::{Content, Message, MessageToolCall, Role, ThinkingBlock};
use serde_json::{Map, Value, json};

use crate::genai::body::{Body, Renders, list};
use crate::genai::library_request::THOUGHT;
use crate::genai::settings::Settings;
use crate::model::ChatRequest;
use crate::model_name::Provider;

/// The body, except for what is said about streaming.
pub(super) fn chat_body(request: &ChatRequest, settings: &Settings, renders: &Renders) -> Body {
    let mut body = Body::default();
    body.set("model", settings.model.as_str());
    body.set_text("messages", list(messages(request, settings, renders)));
    if !request.tools.is_empty() {
        body.set_text("tools", vec![renders.tools(&request.tools, tools)]);
    }
    add_limits(&mut body, request, settings);
    add_reasoning(&mut body, settings);
    add_cache(&mut body, request, settings);
    body.extend(&settings.extra_body);
    body
}

fn tools(tools: &[ToolSpec]) -> Value {
    tools
        .iter()
        .map(|tool| {
            json!({
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.input_schema.0,
                }
            })
        })
        .collect()
}

fn add_limits(body: &mut Body, request: &ChatRequest, settings: &Settings) {
    let limit = if settings.provider == Provider::Azure {
        "max_tokens"
    } else {
        "max_completion_tokens"
    };
    body.set_some(limit, settings.max_output_tokens);
    body.set_some(
        "temperature",
        request.options.temperature.or(settings.temperature),
    );
    body.set_some("top_p", settings.top_p);
    body.set_some("top_k", settings.top_k);
    body.set_some("seed", settings.seed);
    if !request.options.stop.is_empty() {
        body.set("stop", json!(request.options.stop));
    }
}

fn add_reasoning(body: &mut Body, settings: &Settings) {
    if let Some(budget) = settings.thinking_budget {
        body.set(
            "thinking",
            json!({"type": "enabled", "budget_tokens": budget}),
        );
    }
    body.set_some("reasoning_effort", settings.effort.as_deref());
}

/// What groups requests in the provider's own cache. Shared with the Responses API.
pub(super) fn add_cache(body: &mut Body, request: &ChatRequest, settings: &Settings) {
    let session = request.options.session.as_deref();
    body.set_some(
        "prompt_cache_key",
        session.filter(|_| settings.features.cache_key),
    );
    body.set_some(
        "prompt_cache_retention",
        settings.cache_retention.as_deref(),
    );
}

fn messages(request: &ChatRequest, settings: &Settings, renders: &Renders) -> Vec<Bytes> {
    let marks = settings.features.explicit_prompt_cache && !request.options.without_cache_marks;
    let marked = marks.then(|| last_input(request)).flatten();
    let system = request
        .messages
        .iter()
        .position(|message| message.role == Role::System);
    renders.messages(
        &request.messages,
        |at| {
            let first = if marks && system == Some(at) {
                FIRST
            } else {
                0
            };
            let last = if marked == Some(at) { LAST } else { 0 };
            first | last
        },
        |message, mark| vec![one_message(message, settings, mark)],
    )
}

/// A cache mark on the first part of a message.
const FIRST: u8 = 1;
/// A cache mark on the last part of a message, or on the whole message if it is a tool's.
pub(super) const LAST: u8 = 2;

/// The last message that came from outside the model: up to it, the next request will be the same.
pub(super) fn last_input(request: &ChatRequest) -> Option<usize> {
    request
        .messages
        .iter()
        .rposition(|message| matches!(message.role, Role::User | Role::Tool))
}

fn one_message(message: &Message, settings: &Settings, mark: u8) -> Value {
    let mut out = Map::new();
    out.insert("role".to_owned(), json!(message.role.as_str()));
    let calls = message.tool_calls.as_deref().unwrap_or_default();
    let content = content(message, settings, mark);
    let is_empty = match &content {
        Value::String(text) => text.is_empty(),
        Value::Array(parts) => parts.is_empty(),
        _ => true,
    };
    if message.role != Role::Assistant || calls.is_empty() || !is_empty {
        // A provider wants text, even if there is none.
        out.insert(
            "content".to_owned(),
            if is_empty { json!("") } else { content },
        );
    }
    if !calls.is_empty() {
        let calls = calls.iter().map(|one| call(one, settings)).collect();
        out.insert("tool_calls".to_owned(), calls);
    }
    if message.role == Role::Tool {
        if let Some(id) = &message.tool_call_id {
            let id = known_id(id.as_str(), settings);
            out.insert("tool_call_id".to_owned(), json!(id));
        }
        if let Some(name) = &message.name {
            out.insert("name".to_owned(), json!(name));
        }
        if mark & LAST != 0 {
            out.insert("cache_control".to_owned(), ephemeral());
        }
    }
    if let Some(reasoning) = message
        .reasoning_content
        .as_ref()
        .filter(|_| settings.features.echoes_reasoning)
    {
        out.insert("reasoning_content".to_owned(), json!(reasoning));
    }
    Value::Object(out)
}

/// The id of a call. A signature that was kept with it is for proxies that know of it; others would find the id
/// too long.
fn known_id<'a>(id: &'a str, settings: &Settings) -> &'a str {
    match settings.provider {
        Provider::LitellmProxy | Provider::OpenHands => id,
        _ => bare_id(id),
    }
}

/// The id of a call without a signature that was kept with it.
pub(super) fn bare_id(id: &str) -> &str {
    id.split_once(THOUGHT).map_or(id, |(id, _)| id)
}

fn call(call: &MessageToolCall, settings: &Settings) -> Value {
    json!({
        "id": known_id(call.id.as_str(), settings),
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments}
    })
}

fn content(message: &Message, settings: &Settings, mark: u8) -> Value {
    if settings.features.string_content {
        let texts: Vec<_> = message
            .content
            .iter()
            .filter_map(Content::as_text)
            .collect();
        return json!(texts.join("\n"));
    }
    let mut parts = thinking(message, settings);
    for part in &message.content {
        match part {
            Content::Text(text) => parts.push(json!({"type": "text", "text": text.text})),
            Content::Image(image) if settings.features.vision => parts.extend(
                image
                    .image_urls
                    .iter()
                    .map(|url| json!({"type": "image_url", "image_url": {"url": url}})),
            ),
            Content::Image(_) | Content::Unknown(_) => {}
        }
    }
    if mark & FIRST != 0 {
        set_mark(parts.first_mut());
    }
    if mark & LAST != 0 && message.role != Role::Tool {
        set_mark(parts.last_mut());
    }
    Value::Array(parts)
}

/// Signed thinking goes back through the proxies that translate it for Claude.
fn thinking(message: &Message, settings: &Settings) -> Vec<Value> {
    if !matches!(
        settings.provider,
        Provider::LitellmProxy | Provider::OpenHands
    ) {
        return Vec::new();
    }
    message
        .thinking_blocks
        .iter()
        .filter_map(thinking_block)
        .collect()
}

/// A block of thinking in Anthropic's form.
pub(super) fn thinking_block(block: &ThinkingBlock) -> Option<Value> {
    match block {
        // Unsigned thinking is refused.
        ThinkingBlock::Thinking(text) => text.signature.as_ref().map(
            |signature| json!({"type": "thinking", "thinking": text.thinking, "signature": signature}),
        ),
        ThinkingBlock::Redacted(block) => Some(json!({"type": "redacted_thinking", "data": block.data})),
        ThinkingBlock::Unknown(_) => None,
    }
}

/// Puts a cache mark on a part.
pub(super) fn set_mark(part: Option<&mut Value>) {
    if let Some(part) = part.and_then(Value::as_object_mut) {
        part.insert("cache_control".to_owned(), ephemeral());
    }
}

fn ephemeral() -> Value {
    json!({"type": "ephemeral"})
}

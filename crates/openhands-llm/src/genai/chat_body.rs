//! The body of a request to OpenAI's chat completions.

use openhands_protocol::message::{Content, Message, MessageToolCall, Role, ThinkingBlock};
use serde_json::{Map, Value, json};

use crate::genai::settings::Settings;
use crate::model::ChatRequest;
use crate::model_name::Provider;

/// The body, except for what is said about streaming.
pub(super) fn chat_body(request: &ChatRequest, settings: &Settings) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(settings.model));
    body.insert(
        "messages".to_owned(),
        Value::Array(messages(request, settings)),
    );
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), tools(request));
    }
    add_limits(&mut body, request, settings);
    add_reasoning(&mut body, settings);
    add_cache(&mut body, request, settings);
    body.extend(settings.extra_body.clone());
    body
}

fn tools(request: &ChatRequest) -> Value {
    request
        .tools
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

fn add_limits(body: &mut Map<String, Value>, request: &ChatRequest, settings: &Settings) {
    let mut add = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(name.to_owned(), value);
        }
    };
    let limit = if settings.provider == Provider::Azure {
        "max_tokens"
    } else {
        "max_completion_tokens"
    };
    add(limit, settings.max_output_tokens.map(Value::from));
    let temperature = request.options.temperature.or(settings.temperature);
    add("temperature", temperature.map(Value::from));
    add("top_p", settings.top_p.map(Value::from));
    add("top_k", settings.top_k.map(Value::from));
    add("seed", settings.seed.map(Value::from));
    let stop = &request.options.stop;
    add("stop", (!stop.is_empty()).then(|| json!(stop)));
}

fn add_reasoning(body: &mut Map<String, Value>, settings: &Settings) {
    if let Some(budget) = settings.thinking_budget {
        let thinking = json!({"type": "enabled", "budget_tokens": budget});
        body.insert("thinking".to_owned(), thinking);
    }
    if let Some(effort) = &settings.effort {
        body.insert("reasoning_effort".to_owned(), json!(effort));
    }
}

/// What groups requests in the provider's own cache. Shared with the Responses API.
pub(super) fn add_cache(body: &mut Map<String, Value>, request: &ChatRequest, settings: &Settings) {
    if let Some(session) = request
        .options
        .session
        .as_ref()
        .filter(|_| settings.features.cache_key)
    {
        body.insert("prompt_cache_key".to_owned(), json!(session));
    }
    if let Some(retention) = &settings.cache_retention {
        body.insert("prompt_cache_retention".to_owned(), json!(retention));
    }
}

fn messages(request: &ChatRequest, settings: &Settings) -> Vec<Value> {
    let marks = settings.features.explicit_prompt_cache && !request.options.without_cache_marks;
    let marked = marks.then(|| last_input(request)).flatten();
    let system = request
        .messages
        .iter()
        .position(|message| message.role == Role::System);
    request
        .messages
        .iter()
        .enumerate()
        .map(|(at, message)| {
            let mark = Mark {
                first: marks && system == Some(at),
                last: marked == Some(at),
            };
            one_message(message, settings, mark)
        })
        .collect()
}

/// The last message that came from outside the model: up to it, the next request will be the same.
pub(super) fn last_input(request: &ChatRequest) -> Option<usize> {
    request
        .messages
        .iter()
        .rposition(|message| matches!(message.role, Role::User | Role::Tool))
}

/// Where cache marks go in a message.
#[derive(Clone, Copy)]
struct Mark {
    /// On the first part.
    first: bool,
    /// On the last part, or on the whole message if it is a tool's.
    last: bool,
}

fn one_message(message: &Message, settings: &Settings, mark: Mark) -> Value {
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
        out.insert("tool_calls".to_owned(), calls.iter().map(call).collect());
    }
    if message.role == Role::Tool {
        if let Some(id) = &message.tool_call_id {
            out.insert("tool_call_id".to_owned(), json!(id));
        }
        if let Some(name) = &message.name {
            out.insert("name".to_owned(), json!(name));
        }
        if mark.last {
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

fn call(call: &MessageToolCall) -> Value {
    json!({
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments}
    })
}

fn content(message: &Message, settings: &Settings, mark: Mark) -> Value {
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
    if mark.first {
        set_mark(parts.first_mut());
    }
    if mark.last && message.role != Role::Tool {
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

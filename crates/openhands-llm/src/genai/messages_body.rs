//! The body of a request to Anthropic's Messages API.

use bytes::Bytes;
use openhands_protocol::ToolSpec;
use openhands_protocol::message::{Content, Message, Role};
use serde_json::{Value, json};

use crate::features::Thinking;
use crate::genai::body::{Body, Renders};
use crate::genai::chat_body::{LAST, bare_id, last_input, set_mark, thinking_block};
use crate::genai::settings::Settings;
use crate::model::ChatRequest;

/// The API requires a limit; this is what every model can do.
const DEFAULT_OUTPUT_TOKENS: u64 = 8192;
/// A family that takes an effort, and decides no more than that itself.
const TAKES_EFFORT: &str = "opus-4-5";

/// The body, except for what is said about streaming.
pub(super) fn messages_body(request: &ChatRequest, settings: &Settings, renders: &Renders) -> Body {
    let marks = settings.features.explicit_prompt_cache && !request.options.without_cache_marks;
    let mut body = Body::default();
    body.set("model", settings.model.as_str());
    body.set_some("system", system(request, marks));
    body.set_text("messages", turns(request, settings, renders, marks));
    if !request.tools.is_empty() {
        body.set_text("tools", vec![renders.tools(&request.tools, tools)]);
    }
    let limit = settings.max_output_tokens.unwrap_or(DEFAULT_OUTPUT_TOKENS);
    body.set("max_tokens", limit);
    let thinks = add_thinking(&mut body, settings, limit);
    if !thinks {
        add_sampling(&mut body, request, settings);
    }
    if !request.options.stop.is_empty() {
        body.set("stop_sequences", json!(request.options.stop));
    }
    body.extend(&settings.extra_body);
    body
}

/// Tells the model how to think. True if it will, for then it refuses to be sampled otherwise.
fn add_thinking(body: &mut Body, settings: &Settings, limit: u64) -> bool {
    let is_adaptive = settings.features.thinking == Thinking::Adaptive;
    let budget = if let Some(budget) = settings.thinking_budget {
        budget
    } else {
        let Some(effort) = settings.effort.as_deref() else {
            return false;
        };
        if is_adaptive || settings.name.contains(TAKES_EFFORT) {
            body.set("output_config", json!({"effort": effort}));
            if is_adaptive {
                body.set("thinking", json!({"type": "adaptive"}));
            }
            return is_adaptive;
        }
        match effort {
            "low" => 1024,
            "medium" => 2048,
            _ => 4096,
        }
    };
    // Below this the API refuses a budget.
    let budget = budget.min(limit.saturating_sub(1));
    if budget < 1024 {
        return false;
    }
    body.set(
        "thinking",
        json!({"type": "enabled", "budget_tokens": budget}),
    );
    true
}

fn add_sampling(body: &mut Body, request: &ChatRequest, settings: &Settings) {
    body.set_some(
        "temperature",
        request.options.temperature.or(settings.temperature),
    );
    body.set_some("top_p", settings.top_p);
    body.set_some("top_k", settings.top_k);
}

fn tools(tools: &[ToolSpec]) -> Value {
    tools
        .iter()
        .map(|tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.input_schema.0}))
        .collect()
}

fn system(request: &ChatRequest, marks: bool) -> Option<Value> {
    let mut blocks: Vec<_> = request
        .messages
        .iter()
        .filter(|message| message.role == Role::System)
        .flat_map(|message| message.content.iter().filter_map(Content::as_text))
        .filter(|text| !text.trim().is_empty())
        .map(|text| json!({"type": "text", "text": text}))
        .collect();
    if marks {
        set_mark(blocks.first_mut());
    }
    (!blocks.is_empty()).then_some(Value::Array(blocks))
}

/// The messages, with neighbours of the same side joined: the API wants the results of all calls of an answer
/// in one message.
fn turns(request: &ChatRequest, settings: &Settings, renders: &Renders, marks: bool) -> Vec<Bytes> {
    let marked = marks.then(|| last_input(request)).flatten();
    let texts = renders.messages(
        &request.messages,
        |at| if marked == Some(at) { LAST } else { 0 },
        |message, mark| {
            let mut blocks = blocks(message, settings);
            if mark & LAST != 0 {
                set_mark(blocks.last_mut());
            }
            blocks
        },
    );
    let mut pieces = vec![Bytes::from_static(b"[")];
    let mut open = None;
    for (message, blocks) in request.messages.iter().zip(texts) {
        if blocks.is_empty() {
            continue;
        }
        let side = match message.role {
            Role::Assistant => ASSISTANT,
            Role::System | Role::User | Role::Tool => USER,
        };
        if open == Some(side) {
            pieces.push(Bytes::from_static(b","));
        } else {
            if open.is_some() {
                pieces.push(Bytes::from_static(b"]},"));
            }
            pieces.push(Bytes::from_static(side));
            open = Some(side);
        }
        pieces.push(blocks);
    }
    pieces.push(Bytes::from_static(if open.is_some() {
        b"]}]"
    } else {
        b"]"
    }));
    pieces
}

/// How a turn of the user's side begins; results of tools are on it.
const USER: &[u8] = br#"{"role":"user","content":["#;
/// How a turn of the model begins.
const ASSISTANT: &[u8] = br#"{"role":"assistant","content":["#;

fn blocks(message: &Message, settings: &Settings) -> Vec<Value> {
    match message.role {
        Role::System => Vec::new(),
        Role::User => input_blocks(&message.content, settings),
        Role::Tool => vec![tool_result(message, settings)],
        Role::Assistant => answer_blocks(message),
    }
}

fn input_blocks(content: &[Content], settings: &Settings) -> Vec<Value> {
    let mut blocks = Vec::new();
    for part in content {
        match part {
            // The API refuses empty text.
            Content::Text(text) if !text.text.trim().is_empty() => {
                blocks.push(json!({"type": "text", "text": text.text}));
            }
            Content::Image(image) if settings.features.vision => {
                blocks.extend(image.image_urls.iter().map(|url| image_block(url)));
            }
            Content::Text(_) | Content::Image(_) | Content::Unknown(_) => {}
        }
    }
    blocks
}

fn image_block(url: &str) -> Value {
    let source = match data_url(url) {
        Some((media_type, data)) => {
            json!({"type": "base64", "media_type": media_type, "data": data})
        }
        None => json!({"type": "url", "url": url}),
    };
    json!({"type": "image", "source": source})
}

/// Media type and base64 text of a data URL.
pub(super) fn data_url(url: &str) -> Option<(&str, &str)> {
    url.strip_prefix("data:")?.split_once(";base64,")
}

fn tool_result(message: &Message, settings: &Settings) -> Value {
    json!({
        "type": "tool_result",
        "tool_use_id": message.tool_call_id.as_ref().map(|id| known_id(id.as_str())),
        "content": input_blocks(&message.content, settings),
    })
}

/// An id as the API takes it. Those of other providers may have more letters.
fn known_id(id: &str) -> String {
    bare_id(id)
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() || letter == '_' || letter == '-' {
                letter
            } else {
                '_'
            }
        })
        .collect()
}

fn answer_blocks(message: &Message) -> Vec<Value> {
    let mut blocks: Vec<_> = message
        .thinking_blocks
        .iter()
        .filter_map(thinking_block)
        .collect();
    blocks.extend(
        message
            .content
            .iter()
            .filter_map(Content::as_text)
            .filter(|text| !text.trim().is_empty())
            .map(|text| json!({"type": "text", "text": text})),
    );
    for call in message.tool_calls.iter().flatten() {
        let input = serde_json::from_str::<Value>(&call.arguments)
            .ok()
            .filter(Value::is_object)
            // The API takes objects only; the tool's answer says what was wrong with the text.
            .unwrap_or_else(|| json!({}));
        blocks.push(json!({"type": "tool_use", "id": known_id(call.id.as_str()), "name": call.name, "input": input}));
    }
    blocks
}

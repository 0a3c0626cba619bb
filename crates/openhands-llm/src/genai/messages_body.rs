//! The body of a request to Anthropic's Messages API.

use openhands_protocol::message::{Content, Message, Role};
use serde_json::{Map, Value, json};

use crate::genai::chat_body::{last_input, set_mark, thinking_block};
use crate::genai::settings::Settings;
use crate::model::ChatRequest;

/// The API requires a limit; this is what every model can do.
const DEFAULT_OUTPUT_TOKENS: u64 = 8192;
/// Families that take an effort instead of a budget.
const TAKES_EFFORT: &[&str] = &[
    "opus-4-5", "opus-4-6", "sonnet-5", "opus-5", "haiku-5", "fable-5",
];
/// Families that decide themselves how long to think.
const ADAPTIVE: &[&str] = &["opus-4-6", "sonnet-5", "opus-5", "haiku-5", "fable-5"];

/// The body, except for what is said about streaming.
pub(super) fn messages_body(request: &ChatRequest, settings: &Settings) -> Map<String, Value> {
    let marks = settings.features.explicit_prompt_cache && !request.options.without_cache_marks;
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(settings.model));
    if let Some(system) = system(request, marks) {
        body.insert("system".to_owned(), system);
    }
    body.insert(
        "messages".to_owned(),
        Value::Array(turns(request, settings, marks)),
    );
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), tools(request));
    }
    let limit = settings.max_output_tokens.unwrap_or(DEFAULT_OUTPUT_TOKENS);
    body.insert("max_tokens".to_owned(), json!(limit));
    let thinks = add_thinking(&mut body, settings, limit);
    if !thinks {
        add_sampling(&mut body, request, settings);
    }
    if !request.options.stop.is_empty() {
        body.insert("stop_sequences".to_owned(), json!(request.options.stop));
    }
    body.extend(settings.extra_body.clone());
    body
}

/// Tells the model how to think. True if it will, for then it refuses to be sampled otherwise.
fn add_thinking(body: &mut Map<String, Value>, settings: &Settings, limit: u64) -> bool {
    let is = |families: &[&str]| families.iter().any(|family| settings.name.contains(family));
    let budget = if let Some(budget) = settings.thinking_budget {
        budget
    } else {
        let Some(effort) = settings.effort.as_deref() else {
            return false;
        };
        if is(TAKES_EFFORT) {
            body.insert("output_config".to_owned(), json!({"effort": effort}));
            if is(ADAPTIVE) {
                body.insert("thinking".to_owned(), json!({"type": "adaptive"}));
            }
            return is(ADAPTIVE);
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
    body.insert(
        "thinking".to_owned(),
        json!({"type": "enabled", "budget_tokens": budget}),
    );
    true
}

fn add_sampling(body: &mut Map<String, Value>, request: &ChatRequest, settings: &Settings) {
    let temperature = request.options.temperature.or(settings.temperature);
    for (name, value) in [
        ("temperature", temperature),
        ("top_p", settings.top_p),
        ("top_k", settings.top_k),
    ] {
        if let Some(value) = value {
            body.insert(name.to_owned(), json!(value));
        }
    }
}

fn tools(request: &ChatRequest) -> Value {
    request
        .tools
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
fn turns(request: &ChatRequest, settings: &Settings, marks: bool) -> Vec<Value> {
    let marked = marks.then(|| last_input(request)).flatten();
    let mut turns: Vec<(&'static str, Vec<Value>)> = Vec::new();
    for (at, message) in request.messages.iter().enumerate() {
        let (side, mut blocks) = match message.role {
            Role::System => continue,
            Role::User => ("user", input_blocks(&message.content, settings)),
            Role::Tool => ("user", vec![tool_result(message, settings)]),
            Role::Assistant => ("assistant", answer_blocks(message)),
        };
        if marked == Some(at) {
            set_mark(blocks.last_mut());
        }
        match turns.last_mut() {
            Some((last, so_far)) if *last == side => so_far.append(&mut blocks),
            _ if blocks.is_empty() => {}
            _ => turns.push((side, blocks)),
        }
    }
    turns
        .into_iter()
        .map(|(side, blocks)| json!({"role": side, "content": blocks}))
        .collect()
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
        "tool_use_id": message.tool_call_id,
        "content": input_blocks(&message.content, settings),
    })
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
        blocks.push(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input}));
    }
    blocks
}

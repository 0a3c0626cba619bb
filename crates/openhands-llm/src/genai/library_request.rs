//! Our messages in the library's own types, for the protocols that it translates itself.

use genai::chat::{
    Binary, ChatMessage, ChatOptions, ChatRequest as LibraryRequest, ContentPart, MessageContent,
    ReasoningEffort, Tool, ToolCall, ToolResponse,
};
use openhands_protocol::ToolCallId;
use openhands_protocol::message::{Content, Message, Role, ThinkingBlock};
use serde_json::{Value, json};

use crate::genai::messages_body::data_url;
use crate::genai::settings::Settings;
use crate::model::ChatRequest;
use crate::model_name::Provider;
use crate::tokens::estimate_tokens;

/// Between the id of a call and the signature of the thought behind it. LiteLLM keeps the two together in the same
/// way, so a conversation can go from one to the other.
pub(super) const THOUGHT: &str = "__thought__";
/// How the ids begin that are made up for calls without one.
pub(super) const MADE_UP: &str = "call_";
/// Tokens of a shared window that are left over, for the count of the request is an estimate.
const WINDOW_MARGIN: u64 = 256;
/// The shortest answer that is still worth asking for.
const MIN_ANSWER: u64 = 1024;
/// Introduces images to a protocol in which results are text.
const SHOWN: &str = "What the tool results above show:";

/// The question in the library's types.
pub(super) fn library_request(request: &ChatRequest, settings: &Settings) -> LibraryRequest {
    let mut messages = Vec::with_capacity(request.messages.len());
    // Results of tools are text there, and all of an answer's calls must come together: images follow them.
    let mut shown = Vec::new();
    for message in &request.messages {
        if message.role != Role::Tool {
            show(&mut shown, &mut messages);
        }
        messages.push(match message.role {
            Role::System => ChatMessage::system(parts(message, settings)),
            Role::User => ChatMessage::user(parts(message, settings)),
            Role::Assistant => ChatMessage::assistant(answer(message, settings)),
            Role::Tool => {
                shown.extend(images(message, settings));
                ChatMessage::from(tool_response(message, request, settings))
            }
        });
    }
    show(&mut shown, &mut messages);
    let mut out = LibraryRequest::new(messages);
    if !request.tools.is_empty() {
        out = out.with_tools(request.tools.iter().map(|tool| {
            Tool::new(tool.name.as_str())
                .with_description(tool.description.as_str())
                .with_schema(Value::Object(tool.input_schema.0.clone()))
        }));
    }
    out
}

fn show(shown: &mut Vec<ContentPart>, messages: &mut Vec<ChatMessage>) {
    if !shown.is_empty() {
        let mut parts = vec![ContentPart::from_text(SHOWN)];
        parts.append(shown);
        messages.push(ChatMessage::user(MessageContent::from_parts(parts)));
    }
}

fn images(message: &Message, settings: &Settings) -> Vec<ContentPart> {
    if !settings.features.vision {
        return Vec::new();
    }
    let images = message.content.iter().filter_map(|part| match part {
        Content::Image(image) => Some(&image.image_urls),
        Content::Text(_) | Content::Unknown(_) => None,
    });
    images
        .flatten()
        .map(|url| ContentPart::Binary(binary(url)))
        .collect()
}

/// An id, and the signature that was kept with it.
fn id_and_thought(id: &str) -> (&str, Option<&str>) {
    match id.split_once(THOUGHT) {
        Some((id, thought)) => (id, Some(thought)),
        None => (id, None),
    }
}

/// The id as the provider knows it. Google's models know none of ours: the library leaves out ids of this form.
fn known_id(id: &str, name: &str, settings: &Settings) -> String {
    let (id, _) = id_and_thought(id);
    let is_google = matches!(settings.provider, Provider::Gemini | Provider::Vertex)
        && !settings.name.contains("claude");
    let number = id
        .strip_prefix(MADE_UP)
        .filter(|rest| rest.len() == 32)
        .and_then(|rest| u64::from_str_radix(rest.get(16..)?, 16).ok());
    match number.filter(|_| is_google) {
        Some(number) => format!("call#{name}#{number}"),
        None => id.to_owned(),
    }
}

/// The settings in the library's types.
pub(super) fn library_options(request: &ChatRequest, settings: &Settings) -> ChatOptions {
    let mut options = ChatOptions::default()
        .with_capture_usage(true)
        .with_capture_content(true)
        .with_capture_reasoning_content(true)
        .with_capture_tool_calls(true)
        .with_stop_sequences(request.options.stop.clone());
    options.temperature = request.options.temperature.or(settings.temperature);
    options.top_p = settings.top_p;
    options.seed = settings.seed.and_then(|seed| u64::try_from(seed).ok());
    options.max_tokens =
        output_limit(request, settings).and_then(|limit| u32::try_from(limit).ok());
    options.reasoning_effort = settings
        .effort
        .as_deref()
        .and_then(ReasoningEffort::from_keyword);
    options.extra_body =
        (!settings.extra_body.is_empty()).then(|| Value::Object(settings.extra_body.clone()));
    options
}

/// How long the answer may be. On Bedrock it shares the window with the request.
fn output_limit(request: &ChatRequest, settings: &Settings) -> Option<u64> {
    let limit = settings.max_output_tokens?;
    match settings.features.context_window {
        Some(window) if settings.provider == Provider::Bedrock => {
            let used = estimate_tokens(request).saturating_add(WINDOW_MARGIN);
            Some(limit.min(window.saturating_sub(used)).max(MIN_ANSWER))
        }
        _ => Some(limit),
    }
}

fn parts(message: &Message, settings: &Settings) -> MessageContent {
    let mut parts = Vec::new();
    for part in &message.content {
        match part {
            Content::Text(text) => parts.push(ContentPart::from_text(text.text.as_str())),
            Content::Image(image) if settings.features.vision => {
                parts.extend(
                    image
                        .image_urls
                        .iter()
                        .map(|url| ContentPart::Binary(binary(url))),
                );
            }
            Content::Image(_) | Content::Unknown(_) => {}
        }
    }
    MessageContent::from_parts(parts)
}

fn binary(url: &str) -> Binary {
    match data_url(url) {
        Some((media_type, data)) => Binary::from_base64(media_type, data, None),
        None => Binary::from_url("image/*", url, None),
    }
}

fn answer(message: &Message, settings: &Settings) -> MessageContent {
    let mut parts = Vec::new();
    for block in &message.thinking_blocks {
        if let ThinkingBlock::Thinking(text) = block {
            parts.extend(text.signature.clone().map(ContentPart::ThoughtSignature));
            if !text.thinking.is_empty() {
                parts.push(ContentPart::ReasoningContent(text.thinking.clone()));
            }
        }
    }
    let text = Content::join_text(&message.content);
    if !text.is_empty() {
        parts.push(ContentPart::from_text(text));
    }
    parts.extend(message.tool_calls.iter().flatten().map(|call| {
        let arguments = serde_json::from_str::<Value>(&call.arguments)
            .ok()
            .filter(Value::is_object)
            .unwrap_or_else(|| json!({}));
        let (_, thought) = id_and_thought(call.id.as_str());
        ContentPart::ToolCall(ToolCall {
            call_id: known_id(call.id.as_str(), &call.name, settings),
            fn_name: call.name.clone(),
            fn_arguments: arguments,
            thought_signatures: thought.map(|thought| vec![thought.to_owned()]),
        })
    }));
    MessageContent::from_parts(parts)
}

fn tool_response(message: &Message, request: &ChatRequest, settings: &Settings) -> ToolResponse {
    let id = message
        .tool_call_id
        .as_ref()
        .map(ToolCallId::as_str)
        .unwrap_or_default();
    let texts: Vec<_> = message
        .content
        .iter()
        .filter_map(Content::as_text)
        .collect();
    let name = message.name.clone().or_else(|| called_name(request, id));
    let known = known_id(id, name.as_deref().unwrap_or_default(), settings);
    let response = ToolResponse::new(known, texts.join("\n"));
    // Gemini knows results by the tool's name.
    match name {
        Some(name) => response.with_fn_name(name),
        None => response,
    }
}

fn called_name(request: &ChatRequest, id: &str) -> Option<String> {
    request
        .messages
        .iter()
        .flat_map(|message| message.tool_calls.iter().flatten())
        .find(|call| call.id.as_str() == id)
        .map(|call| call.name.clone())
}

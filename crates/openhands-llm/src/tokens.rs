//! An estimate of how many tokens a question has.
//!
//! Vocabularies of the known models are megabytes each and differ; what decides here is only whether something
//! fits, so characters are counted. After a call the provider's own count is known.

use openhands_protocol::message::{Content, Message};

use crate::model::ChatRequest;

/// English text and code have about this many characters per token.
const CHARS_PER_TOKEN: u64 = 4;
/// What providers count for an image of usual size.
const TOKENS_PER_IMAGE: u64 = 1_000;
/// Role and separators.
const TOKENS_PER_MESSAGE: u64 = 4;

/// About how many tokens a question has, its tools included.
pub fn estimate_tokens(request: &ChatRequest) -> u64 {
    let messages: u64 = request
        .messages
        .iter()
        .map(|message| message_tokens(message))
        .sum();
    let tools: u64 = request
        .tools
        .iter()
        .map(|tool| {
            let schema = serde_json::to_string(&tool.input_schema).map_or(0, |text| text.len());
            of_chars(tool.name.len() + tool.description.len() + schema)
        })
        .sum();
    messages + tools
}

fn message_tokens(message: &Message) -> u64 {
    let content: u64 = message
        .content
        .iter()
        .map(|part| match part {
            Content::Text(text) => of_chars(text.text.chars().count()),
            Content::Image(image) => {
                TOKENS_PER_IMAGE * u64::try_from(image.image_urls.len()).unwrap_or(u64::MAX)
            }
            Content::Unknown(_) => 0,
        })
        .sum();
    let calls: u64 = message
        .tool_calls
        .iter()
        .flatten()
        .map(|call| of_chars(call.name.len() + call.arguments.chars().count()))
        .sum();
    let reasoning = message
        .reasoning_content
        .as_ref()
        .map_or(0, |text| of_chars(text.chars().count()));
    TOKENS_PER_MESSAGE + content + calls + reasoning
}

fn of_chars(chars: usize) -> u64 {
    u64::try_from(chars)
        .unwrap_or(u64::MAX)
        .div_ceil(CHARS_PER_TOKEN)
}

#[cfg(test)]
#[path = "tokens_tests.rs"]
mod tests;

//! A title for a conversation, made of its first user message.

use std::sync::LazyLock;

use openhands_llm::{CallOptions, ChatModel, ChatRequest, Completion, LlmError};
use openhands_protocol::Event;
use openhands_protocol::event::Source;
use openhands_protocol::message::{Content, Message, Role};
use regex::Regex;
use tokio_util::sync::CancellationToken;

/// The longest title, in characters.
pub const MAX_TITLE_CHARS: usize = 50;
/// How much of a message the model is shown, in characters.
const MAX_MESSAGE_CHARS: usize = 1_000;
/// In a prompt of the user's own: where the message goes.
const MESSAGE_PLACE: &str = "{conversation_content}";
/// In a prompt of the user's own: where the greatest length goes.
const LENGTH_PLACE: &str = "{max_length}";

const INSTRUCTIONS: &str = "\
You name conversations between a user and OpenHands, an agent that works on a computer with a shell, an editor and a \
browser. You get the first message of a conversation, or the start of it. Answer with a short title that says what the \
conversation is about, in the language of the message. Write nothing but the title: no quotes, no explanation.";

/// Thinking that a model wrote into its answer. Without an end, all that follows is thinking.
static THINKING: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?is)<think>.*?(?:</think>|$)").ok());

/// A title, and how it came about.
#[derive(Debug)]
pub struct Title {
    /// The title.
    pub text: String,
    /// The answer that it was taken from, to count its use.
    pub completion: Option<Completion>,
    /// Why the model gave none; the title is then the start of the message.
    pub error: Option<LlmError>,
}

/// The text of the first message of the user that has any.
pub fn first_user_message<'a>(events: impl IntoIterator<Item = &'a Event>) -> Option<String> {
    events.into_iter().find_map(|event| match event {
        Event::Message(said) if said.header.source == Source::User => {
            let texts: Vec<_> = said
                .llm_message
                .content
                .iter()
                .filter_map(Content::as_text)
                .collect();
            let text = texts.join(" ").trim().to_owned();
            (!text.is_empty()).then_some(text)
        }
        _ => None,
    })
}

/// Asks a model for a title of a conversation that begins with a message. `prompt` is the user's own wording of the
/// question. When the model fails or has nothing to say, the title is the start of the message.
pub async fn generate_title(
    message: &str,
    prompt: Option<&str>,
    model: &dyn ChatModel,
    cancel: CancellationToken,
) -> Title {
    let request = ChatRequest {
        options: CallOptions {
            stream: Some(false),
            ..CallOptions::default()
        },
        ..ChatRequest::new([
            Message::text(Role::System, INSTRUCTIONS),
            Message::text(Role::User, question(message, prompt)),
        ])
    };
    match model.complete(request, cancel).await {
        Ok(completion) => {
            let text = title_in(&Content::join_text(&completion.message.content));
            Title {
                text: text.unwrap_or_else(|| fallback_title(message)),
                completion: Some(completion),
                error: None,
            }
        }
        Err(error) => Title {
            text: fallback_title(message),
            completion: None,
            error: Some(error),
        },
    }
}

/// The title without a model: the start of the message.
pub fn fallback_title(message: &str) -> String {
    shorten(message.trim())
}

fn question(message: &str, prompt: Option<&str>) -> String {
    let message = match message.char_indices().nth(MAX_MESSAGE_CHARS) {
        Some((end, _)) => format!("{}... (cut)", message.get(..end).unwrap_or_default()),
        None => message.to_owned(),
    };
    let Some(prompt) = prompt.map(str::trim).filter(|prompt| !prompt.is_empty()) else {
        return format!(
            "Name the conversation that begins with the message below, in at most {MAX_TITLE_CHARS} characters. \
             Begin the title with one emoji that suits the kind of work.\n\n{message}"
        );
    };
    // The message comes last, so that a placeholder inside it stays what it is.
    let question = prompt.replace(LENGTH_PLACE, &MAX_TITLE_CHARS.to_string());
    if question.contains(MESSAGE_PLACE) {
        question.replace(MESSAGE_PLACE, &message)
    } else {
        format!("{question}\n\nThe conversation begins with:\n{message}")
    }
}

/// The title in an answer, without thinking.
fn title_in(answer: &str) -> Option<String> {
    let said = THINKING
        .as_ref()
        .map_or(answer.into(), |thinking| thinking.replace_all(answer, ""));
    let said = said.trim();
    (!said.is_empty()).then(|| shorten(said))
}

fn shorten(text: &str) -> String {
    if text.chars().nth(MAX_TITLE_CHARS).is_none() {
        return text.to_owned();
    }
    let start = text.chars().take(MAX_TITLE_CHARS - 3);
    start.chain("...".chars()).collect()
}

#[cfg(test)]
#[path = "title_tests.rs"]
mod tests;

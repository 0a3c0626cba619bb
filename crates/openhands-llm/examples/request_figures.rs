//! How long it takes to write requests of long conversations.
//!
//! `cargo run --release -p openhands-llm --example request_figures`
#![allow(clippy::print_stdout, reason = "prints its figures")]

use std::time::{Duration, Instant};

use genai::adapter::AdapterKind;
use genai::chat::{
    ChatMessage, ChatRequest as LibraryRequest, ContentPart, MessageContent, ToolCall, ToolResponse,
};
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, ModelIden, ServiceTarget};
use openhands_llm::{ChatRequest, GenaiModel, Http, LlmError, LlmErrorKind};
use openhands_protocol::llm::Llm;
use openhands_protocol::message::{Message, MessageToolCall, Role};
use serde_json::json;

const ROUNDS: u32 = 20;

/// Every second message is a tool's result of about a kilobyte.
fn conversation(length: usize) -> ChatRequest {
    let messages = (0..length).map(|number| {
        let id = format!("call_{}", number / 2);
        if number % 2 == 0 {
            let call = MessageToolCall {
                id: id.into(),
                name: "terminal".to_owned(),
                arguments: format!(
                    r#"{{"command": "cat file_{number}.txt", "security_risk": "LOW"}}"#
                ),
                ..MessageToolCall::default()
            };
            return Message {
                tool_calls: Some(vec![call]),
                ..Message::text(Role::Assistant, "I read the next file.")
            };
        }
        Message {
            tool_call_id: Some(id.into()),
            name: Some("terminal".to_owned()),
            ..Message::text(Role::Tool, "a line of the file\n".repeat(50))
        }
    });
    ChatRequest::new(messages)
}

/// The middle of several measurements, in which other work on the machine counts least.
fn median(mut work: impl FnMut()) -> Duration {
    let mut times: Vec<_> = (0..ROUNDS)
        .map(|_| {
            let begun = Instant::now();
            work();
            begun.elapsed()
        })
        .collect();
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// The library's adapter for a model, at an address where nobody answers.
fn service(name: &str) -> ServiceTarget {
    let adapter = match name {
        "openai/gpt-5" => AdapterKind::OpenAIResp,
        "openai/gpt-4o" => AdapterKind::OpenAI,
        _ => AdapterKind::Anthropic,
    };
    ServiceTarget {
        endpoint: Endpoint::from_static("http://127.0.0.1:9/"),
        auth: AuthData::from_single("key"),
        model: ModelIden::new(adapter, "model"),
    }
}

/// How long the client library takes until it finds that nobody answers: the request is written by then.
async fn through_library(client: &Client, service: &ServiceTarget, length: usize) -> Duration {
    let messages = (0..length).map(|number| {
        let id = format!("call_{}", number / 2);
        if number % 2 == 0 {
            let call = ToolCall {
                call_id: id,
                fn_name: "terminal".to_owned(),
                fn_arguments: json!({"command": format!("cat file_{number}.txt"), "security_risk": "LOW"}),
                thought_signatures: None,
            };
            return ChatMessage::assistant(MessageContent::from_parts(vec![
                ContentPart::from_text("I read the next file."),
                ContentPart::ToolCall(call),
            ]));
        }
        ChatMessage::from(ToolResponse::new(id, "a line of the file\n".repeat(50)))
    });
    let question = LibraryRequest::new(messages.collect());
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let (service, question) = (service.clone(), question.clone());
        let begun = Instant::now();
        let _ = client.exec_chat(service, question, None).await;
        times.push(begun.elapsed());
    }
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), LlmError> {
    let http = Http::new()?;
    let library_client = match Client::builder().build() {
        Ok(client) => client,
        Err(error) => {
            return Err(LlmError::new(
                LlmErrorKind::Configuration,
                error.to_string(),
            ));
        }
    };
    for name in [
        "openai/gpt-4o",
        "openai/gpt-5",
        "anthropic/claude-sonnet-4-5",
    ] {
        let llm = Llm {
            model: name.to_owned(),
            ..Llm::default()
        };
        for length in [100, 10_000] {
            let mut request = conversation(length);
            let first = median(|| {
                if let Ok(model) = GenaiModel::new(&llm, http.clone()) {
                    drop(std::hint::black_box(model.body(&request)));
                }
            });
            // A turn later: two messages are new, all others were written before.
            let model = GenaiModel::new(&llm, http.clone())?;
            model.body(&request);
            let more = conversation(2 * usize::try_from(ROUNDS).unwrap_or(0)).messages;
            let mut more = more.into_iter();
            let next = median(|| {
                request.messages.extend(more.by_ref().take(2));
                drop(std::hint::black_box(model.body(&request)));
            });
            let bytes = model.body(&request).map_or(0, |body| body.len());
            let library = through_library(&library_client, &service(name), length).await;
            println!(
                "{name:28} {length:6} messages, {:6} kB: first request {first:9.1?}, one turn later {next:9.1?}, by the client library {library:9.1?}",
                bytes / 1000
            );
        }
    }
    Ok(())
}

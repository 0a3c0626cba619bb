//! How long it takes to write requests of long conversations.
//!
//! `cargo run --release -p openhands-llm --example request_bench`
#![allow(clippy::print_stdout, reason = "prints its figures")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use openhands_llm::{ChatRequest, GenaiModel, Http, LlmError};
use openhands_protocol::llm::Llm;
use openhands_protocol::message::{Message, MessageToolCall, Role};

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

fn mean(work: impl Fn()) -> Duration {
    let begun = Instant::now();
    for _ in 0..ROUNDS {
        work();
    }
    begun.elapsed() / ROUNDS
}

fn main() -> Result<(), LlmError> {
    let http = Http::new()?;
    for name in [
        "openai/gpt-4o",
        "openai/gpt-5",
        "anthropic/claude-sonnet-4-5",
    ] {
        let llm = Llm {
            model: name.to_owned(),
            ..Llm::default()
        };
        let model = Arc::new(GenaiModel::new(&llm, http.clone())?);
        for length in [100, 10_000] {
            let request = conversation(length);
            let cloned = mean(|| drop(std::hint::black_box(request.clone())));
            let written = mean(|| drop(std::hint::black_box(model.body(&request))));
            let body = model.body(&request).unwrap_or_default();
            let text = mean(|| drop(std::hint::black_box(serde_json::to_vec(&body))));
            println!(
                "{name:28} {length:6} messages: clone {cloned:9.1?}  body {written:9.1?}  its text {text:9.1?}"
            );
        }
    }
    Ok(())
}

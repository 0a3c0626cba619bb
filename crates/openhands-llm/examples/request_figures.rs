//! How long it takes to write requests of long conversations.
//!
//! `cargo run --release -p openhands-llm --example request_figures`
#![allow(clippy::print_stdout, reason = "prints its figures")]

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
            println!(
                "{name:28} {length:6} messages, {:6} kB: first request {first:9.1?}, one turn later {next:9.1?}",
                bytes / 1000
            );
        }
    }
    Ok(())
}

//! How long a view takes: to take in an event, to give the messages of a request, to be rebuilt.
//!
//! `cargo run --release -p openhands-sdk-rs --example view_figures [events]`
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::indexing_slicing)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use openhands_sdk_rs::protocol::Event;
use openhands_sdk_rs::view::View;
use serde_json::json;

/// Events around a size at which pushes are timed.
const AROUND: usize = 50;
const ROUNDS: usize = 200;

fn main() {
    let given = std::env::args().nth(1);
    let events: usize = given.map_or(10_000, |given| given.parse().unwrap());
    let log = log(events + AROUND);

    println!("push of an event, median of {ROUNDS} views:");
    for size in [100, events] {
        println!("  at event {size:>6}: {:>10.3?}", push_at(&log, size));
    }

    let view = View::of(log.iter().take(events));
    let messages = time(|| view.messages());
    println!("messages of {} events: {messages:.3?}", view.len());
    let rebuild = time(|| View::of(log.iter().take(events)));
    println!("rebuild of {events} events: {rebuild:.3?}");
    let cuts = time(|| view.cut_points());
    println!("cut points: {cuts:.3?}");
    let first = view.messages();
    let mut grown = View::of(log.iter().take(events));
    let before = grown.messages();
    for event in log.iter().skip(events) {
        grown.push(event);
    }
    let after = grown.messages();
    let same = before
        .iter()
        .zip(&after)
        .filter(|(old, new)| std::sync::Arc::ptr_eq(old, new))
        .count();
    println!(
        "messages that stay the same allocation after {AROUND} more events: {same} of {}",
        first.len()
    );
}

/// The median time of one push when the view has about this many events.
fn push_at(log: &[Event], size: usize) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let mut view = View::of(log.iter().take(size));
            let start = Instant::now();
            for event in log.iter().skip(size).take(AROUND) {
                view.push(event);
            }
            start.elapsed() / u32::try_from(AROUND).unwrap()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

fn time<T>(mut work: impl FnMut() -> T) -> Duration {
    let mut times: Vec<Duration> = (0..21)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

/// A log with the usual things: a prompt, then turns of one or two terminal calls of about 1 kB, and a user message
/// now and then.
fn log(events: usize) -> Vec<Event> {
    let mut log = vec![event(&json!({
        "kind": "SystemPromptEvent", "id": "s", "source": "agent", "tools": [],
        "system_prompt": {"type": "text", "text": "p".repeat(15_000)},
    }))];
    let mut turn = 0;
    while log.len() < events {
        turn += 1;
        if turn % 20 == 1 {
            log.push(event(&json!({
                "kind": "MessageEvent", "id": format!("u{turn}"), "source": "user",
                "llm_message": {"role": "user", "content": [{"type": "text", "text": "go on"}]},
            })));
        }
        let calls = 1 + usize::from(turn % 5 == 0);
        for call in 0..calls {
            log.push(event(&json!({
                "kind": "ActionEvent", "id": format!("a{turn}-{call}"), "source": "agent", "thought": [],
                "action": {"kind": "TerminalAction", "command": "cargo test"}, "tool_name": "terminal",
                "tool_call_id": format!("c{turn}-{call}"), "llm_response_id": format!("r{turn}"),
                "tool_call": {"id": format!("c{turn}-{call}"), "name": "terminal", "origin": "completion",
                    "arguments": "{\"command\": \"cargo test\"}"},
            })));
        }
        for call in 0..calls {
            log.push(event(&json!({
                "kind": "ObservationEvent", "id": format!("o{turn}-{call}"), "source": "environment",
                "tool_name": "terminal", "tool_call_id": format!("c{turn}-{call}"),
                "action_id": format!("a{turn}-{call}"),
                "observation": {"kind": "TerminalObservation", "command": "cargo test",
                    "content": [{"type": "text", "text": "x".repeat(1_000)}],
                    "metadata": {"exit_code": 0, "working_dir": "/workspace"}},
            })));
        }
    }
    log.truncate(events);
    log
}

fn event(value: &serde_json::Value) -> Event {
    Event::from_slice(value.to_string().as_bytes()).unwrap()
}

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
const ROUNDS: usize = 50;

fn main() {
    let given = std::env::args().nth(1);
    let events: usize = given.map_or(10_000, |given| given.parse().unwrap());
    let log = log(events + AROUND);

    println!("push of an event while a view grows, median of {ROUNDS} views:");
    let (at_100, at_end, whole) = pushes(&log, events);
    println!("  at event    100: {at_100:>10.3?}");
    println!("  at event {events:>6}: {at_end:>10.3?}");
    println!("  all of them:     {whole:>10.3?}");

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

/// The median times of one push around event 100 and around the end, and of all pushes.
fn pushes(log: &[Event], events: usize) -> (Duration, Duration, Duration) {
    let (mut early, mut late, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let mut view = View::default();
        let begin = Instant::now();
        early.push(push(&mut view, log, 0, 100));
        late.push(push(&mut view, log, 100 + AROUND, events));
        whole.push(begin.elapsed());
        black_box(&view);
    }
    (median(early), median(late), median(whole))
}

/// Grows a view from one size to another, then times some pushes.
fn push(view: &mut View, log: &[Event], from: usize, size: usize) -> Duration {
    for event in log.iter().take(size).skip(from) {
        view.push(event);
    }
    let start = Instant::now();
    for event in log.iter().skip(size).take(AROUND) {
        view.push(event);
    }
    start.elapsed() / u32::try_from(AROUND).unwrap()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn time<T>(mut work: impl FnMut() -> T) -> Duration {
    let times = (0..21).map(|_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    });
    median(times.collect())
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

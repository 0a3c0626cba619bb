//! Many subscribers and running conversations at once: no error, and no more memory the longer it goes on.
//!
//! `./test` plays a short form. The long one is `just load`: `OPENHANDS_LOAD=SECONDS,CONVERSATIONS,SUBSCRIBERS`.

use std::time::{Duration, Instant};

use crate::crowd::{Crowd, endless};
use crate::http::{self, Request};
use crate::server::is_reference;
use crate::socket::{Heard, Socket};

/// Between two steps of a conversation.
const STEP_SECONDS: f64 = 0.5;

/// How much more memory may be used at the end than after a third of the time.
const GROWTH_KIB: u64 = 256 * 1024;

#[derive(Debug, Clone, Copy)]
struct Size {
    seconds: u64,
    conversations: usize,
    subscribers: usize,
}

fn size() -> Size {
    let Ok(given) = std::env::var("OPENHANDS_LOAD") else {
        return Size {
            seconds: 5,
            conversations: 10,
            subscribers: 50,
        };
    };
    let numbers: Vec<usize> = given
        .split(',')
        .map(|number| number.parse().unwrap())
        .collect();
    Size {
        seconds: u64::try_from(numbers[0]).unwrap(),
        conversations: numbers[1],
        subscribers: numbers[2],
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_watch_and_many_run() {
    let size = size();
    let crowd = Crowd::new(size.conversations).await;
    let mut sockets = Vec::new();
    for number in 0..size.subscribers {
        let id = &crowd.conversations[number % size.conversations];
        let path = format!("/sockets/events/{id}");
        sockets.push(
            Socket::open(&crowd.server.authority, &path, &[])
                .await
                .unwrap(),
        );
    }
    for id in &crowd.conversations {
        let answer = crowd.say(id, &endless(STEP_SECONDS), true).await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.value());
    }
    let (mut latencies, mut memory, mut frames) = (Vec::new(), Vec::new(), 0);
    let began = Instant::now();
    let limit = Duration::from_secs(size.seconds);
    while began.elapsed() < limit {
        let asked = Instant::now();
        let answer = http::send(&crowd.server.authority, &Request::new("GET", "/health")).await;
        assert_eq!(answer.unwrap().status, 200);
        latencies.push(asked.elapsed());
        if memory.len() as u64 <= began.elapsed().as_secs() {
            memory.push(crowd.server.memory_kib());
        }
        frames += drain(&mut sockets);
        // A probe every so often, not a flood.
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    frames += drain(&mut sockets);
    report(size, &mut latencies, &memory, frames);
    check(&crowd, size, frames, &memory).await;
}

/// Counts what has come. Nobody is cut off.
fn drain(sockets: &mut [Socket]) -> usize {
    let mut count = 0;
    for socket in sockets {
        for heard in socket.rest() {
            match heard {
                Heard::Frame(frame) => {
                    assert_ne!(frame["kind"], "ConversationErrorEvent", "{frame}");
                    count += 1;
                }
                Heard::Closed(code, reason) => panic!("closed with {code}: {reason}"),
            }
        }
    }
    count
}

fn report(size: Size, latencies: &mut [Duration], memory: &[u64], frames: usize) {
    latencies.sort();
    let at = |part: usize| latencies[(latencies.len() - 1) * part / 100];
    let whose = if is_reference() { "reference" } else { "ours" };
    println!(
        "{whose}: {} conversations, {} subscribers, {} s: {frames} frames, GET /health {} times, p50 {:?}, p99 {:?}, max {:?}",
        size.conversations,
        size.subscribers,
        size.seconds,
        latencies.len(),
        at(50),
        at(99),
        at(100),
    );
    let every = (memory.len() / 10).max(1);
    let mib: Vec<u64> = memory.iter().step_by(every).map(|kib| kib / 1024).collect();
    println!("memory over time, MiB: {mib:?}");
}

async fn check(crowd: &Crowd, size: Size, frames: usize, memory: &[u64]) {
    for id in &crowd.conversations {
        let info = crowd.get(&format!("/api/conversations/{id}")).await;
        assert_eq!(info["execution_status"], "running", "{id}");
        let path = format!("/api/conversations/{id}/events/count?kind=ObservationEvent");
        let steps = crowd.get(&path).await.as_u64().unwrap();
        assert!(steps > 1, "{id} took {steps} steps");
    }
    // Each subscriber got the state, the message and the first steps.
    assert!(frames > size.subscribers * 5, "{frames} frames");
    if is_reference() {
        return;
    }
    let (early, last) = (memory[memory.len() / 3], memory[memory.len() - 1]);
    assert!(
        last < early + GROWTH_KIB,
        "memory grew from {early} to {last} KiB"
    );
}

//! What a request costs.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use stats_alloc::Region;

use crate::ALLOCATOR;
use crate::budget::judge;
use crate::counts::{self, asked, can_trace, counted_by, tell};
use crate::harness::World;

#[test]
fn a_request_allocates_no_more_than_it_did() {
    judge(&counted_by("requests::counted_requests", 500));
}

/// Not a check of its own: this is what is counted.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn counted_requests() {
    let Some((directory, count)) = asked() else {
        return;
    };
    let world = World::new().await;
    let conversation = world.converse_in(&directory).await;
    for (name, path) in [
        ("allocations per request of /health", "/health".to_owned()),
        (
            "allocations per request of a conversation",
            format!("/api/conversations/{conversation}"),
        ),
    ] {
        let address = world.server.address;
        let asking = tokio::task::spawn_blocking(move || {
            let mut client = Client::connect(address, &path);
            // What the first ones make for all.
            client.ask(50);
            let region = Region::new(ALLOCATOR);
            client.ask(count);
            let change = region.change();
            change.allocations + change.reallocations
        });
        tell(name, asking.await.unwrap() as f64 / count as f64);
    }
}

#[test]
fn a_request_takes_no_more_system_calls_than_it_did() {
    if !can_trace() {
        return;
    }
    let calls = counts::system_calls_of("requests::counted_health");
    judge(&[("system calls per request, of both sides".to_owned(), calls)].into());
}

/// Not a check of its own: this is what is counted.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn counted_health() {
    let Some((_, count)) = asked() else {
        return;
    };
    let world = World::new().await;
    let address = world.server.address;
    let asking =
        tokio::task::spawn_blocking(move || Client::connect(address, "/health").ask(count));
    asking.await.unwrap();
}

/// A client that allocates nothing while it asks.
struct Client {
    stream: TcpStream,
    request: Vec<u8>,
    answer: Vec<u8>,
}

impl Client {
    fn connect(address: SocketAddr, path: &str) -> Self {
        Self {
            stream: TcpStream::connect(address).unwrap(),
            request: format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").into_bytes(),
            answer: vec![0; 64 << 10],
        }
    }

    fn ask(&mut self, count: u64) {
        for _ in 0..count {
            self.stream.write_all(&self.request).unwrap();
            let mut read = 0;
            while !is_whole(&self.answer[..read]) {
                let size = self.stream.read(&mut self.answer[read..]).unwrap();
                assert!(size > 0, "the server has hung up");
                read += size;
            }
            assert!(self.answer.starts_with(b"HTTP/1.1 200"));
        }
    }
}

/// Whether an answer has come to its end.
fn is_whole(answer: &[u8]) -> bool {
    const LENGTH: &[u8] = b"content-length: ";
    let Some(head) = find(answer, b"\r\n\r\n") else {
        return false;
    };
    let length = find(&answer[..head], LENGTH).expect("an answer has a length") + LENGTH.len();
    let digits = answer[length..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit());
    let length = digits.fold(0, |length, digit| length * 10 + usize::from(digit - b'0'));
    answer.len() >= head + 4 + length
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

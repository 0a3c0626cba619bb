//! What a conversation costs that does nothing.

use std::time::Duration;

use stats_alloc::Region;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::ALLOCATOR;
use crate::budget::judge;
use crate::counts::{asked, counted_by, tell};
use crate::harness::World;

#[test]
fn an_idle_conversation_has_no_thread_and_no_task_and_little_memory() {
    judge(&counted_by("idle::idle_conversations", 200));
}

/// Not a check of its own: this is what is counted.
#[tokio::test]
async fn idle_conversations() {
    let Some((directory, count)) = asked() else {
        return;
    };
    let world = World::new().await;
    // What the first ones make for all.
    for _ in 0..50 {
        world.converse_in(&directory).await;
    }
    settle(&world).await;
    let (threads, tasks, region) = (threads(), world.server.tasks(), Region::new(ALLOCATOR));
    for _ in 0..count {
        world.converse_in(&directory).await;
    }
    settle(&world).await;
    let change = region.change();
    let kept = change.bytes_allocated as f64 - change.bytes_deallocated as f64;
    let hundreds = count as f64 / 100.0;
    tell(
        "threads per 100 idle conversations",
        (self::threads() as f64 - threads as f64) / hundreds,
    );
    tell(
        "tasks per 100 idle conversations",
        (world.server.tasks() as f64 - tasks as f64) / hundreds,
    );
    tell(
        "kilobytes kept per idle conversation",
        kept / 1e3 / count as f64,
    );
}

#[test]
fn an_open_socket_has_little_memory() {
    judge(&counted_by("idle::open_sockets", 200));
}

/// Not a check of its own: this is what is counted.
#[tokio::test]
async fn open_sockets() {
    let Some((directory, count)) = asked() else {
        return;
    };
    let world = World::new().await;
    let conversation = world.converse_in(&directory).await;
    let mut sockets = Vec::with_capacity(250);
    for _ in 0..50 {
        sockets.push(watch(&world, &conversation).await);
    }
    settle(&world).await;
    let region = Region::new(ALLOCATOR);
    for _ in 0..count {
        sockets.push(watch(&world, &conversation).await);
    }
    settle(&world).await;
    let change = region.change();
    let kept = change.bytes_allocated as f64 - change.bytes_deallocated as f64;
    tell("kilobytes kept per open socket", kept / 1e3 / count as f64);
}

/// Opens a socket by hand, so that the client keeps nothing, and reads the beginning of the state.
async fn watch(world: &World, conversation: &str) -> TcpStream {
    let address = world.server.address;
    let mut socket = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "GET /sockets/events/{conversation} HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut read = [0; 4096];
    let mut head = Vec::new();
    while !head.windows(10).any(|part| part == b"full_state") {
        let size = socket.read(&mut read).await.unwrap();
        assert!(size > 0, "{}", String::from_utf8_lossy(&head));
        head.extend_from_slice(&read[..size]);
    }
    socket
}

/// Waits until the number of tasks no longer changes: what a request leaves behind has ended then.
async fn settle(world: &World) {
    let mut looks = tokio::time::interval(Duration::from_millis(20));
    let (mut last, mut same) = (world.server.tasks(), 0);
    while same < 10 {
        looks.tick().await;
        let now = world.server.tasks();
        same = if now == last { same + 1 } else { 0 };
        last = now;
    }
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

//! A guard costs little memory: it is a copy of the watchdog, of which it changes next to nothing.

use std::fs;

use crate::marks::children_of;
use crate::server::{Server, holder};

/// The kilobytes of a process that are its alone because it, or the one that it is a copy of, has changed them.
fn changed(pid: i32) -> u64 {
    let kept = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap();
    let line = kept
        .lines()
        .find_map(|line| line.strip_prefix("Private_Dirty:"));
    let (number, _) = line.unwrap().trim().split_once(' ').unwrap();
    number.parse().unwrap()
}

/// Two or three pages of stack, and none of heap, data or the request. The C library's `fork` alone would be seven.
#[tokio::test]
async fn a_guard_has_few_pages_of_its_own() {
    let mut server = Server::start(holder(), |_| {});
    for order in ["auto sleep 1000", "off sleep 1000", "auto sleep 1000"] {
        assert_eq!(server.ask(order).await, "started");
    }
    // One that had a command before.
    server.ask("run auto echo $PPID").await;
    assert_eq!(server.ask("auto sleep 1000").await, "started");
    let guards = children_of(server.watchdog());
    assert_eq!(guards.len(), 4);
    for guard in guards {
        let kilobytes = changed(guard);
        assert!(kilobytes <= 24, "{kilobytes} kB");
    }
    server.end().await;
}

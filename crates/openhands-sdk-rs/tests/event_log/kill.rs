//! A process that appends is killed at random moments: every acknowledged event is there.
//!
//! `just kill 1000` is the long run.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use openhands_sdk_rs::protocol::EventId;
use tempfile::TempDir;

use crate::support::{message, open};

const DIRECTORY: &str = "OPENHANDS_TEST_APPEND_TO";

/// Not a check of its own: this is what the killed process runs. Without a directory it has nothing to do.
#[test]
fn the_process_that_appends() {
    let Some(dir) = std::env::var_os(DIRECTORY) else {
        return;
    };
    let log = open(Path::new(&dir));
    let mut out = std::io::stdout();
    let text = "x".repeat(3000);
    // Longer than any test waits; the parent kills it long before.
    let deadline = Instant::now() + Duration::from_mins(1);
    while Instant::now() < deadline {
        let stored = log.append_blocking(message(&text)).unwrap();
        if stored.index().is_multiple_of(5) {
            log.save_state_blocking(
                format!(r#"{{"leaf_event_id":"{}"}}"#, stored.id()).as_bytes(),
                stored.index() + 1,
            )
            .unwrap();
        }
        out.write_all(format!("\nacknowledged {} {}\n", stored.index(), stored.id()).as_bytes())
            .unwrap();
        out.flush().unwrap();
    }
}

/// Lets a process append and kills it after so many acknowledged events and a moment. Returns what it acknowledged.
fn append_and_kill(dir: &Path, events: usize, moment: Duration) -> Vec<(u64, EventId)> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "kill::the_process_that_appends",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(DIRECTORY, dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap());
    let mut acknowledged = Vec::new();
    while acknowledged.len() < events && hear(&mut said, &mut acknowledged) {}
    let until = Instant::now() + moment;
    while Instant::now() < until {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    // What it had said before it died counts too.
    while hear(&mut said, &mut acknowledged) {}
    child.wait().unwrap();
    acknowledged
}

/// Takes in one line. A line that was cut off was not said.
fn hear(said: &mut impl BufRead, acknowledged: &mut Vec<(u64, EventId)>) -> bool {
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    let event = line
        .strip_suffix('\n')
        .and_then(|line| line.strip_prefix("acknowledged "))
        .and_then(|line| line.split_once(' '));
    if let Some((index, id)) = event {
        acknowledged.push((index.parse().unwrap(), EventId::from(id)));
    }
    line.ends_with('\n')
}

#[test]
fn every_acknowledged_event_survives_a_kill_at_any_moment() {
    let kills: u64 = std::env::var("OPENHANDS_KILLS").map_or(60, |count| count.parse().unwrap());
    let mut random = u64::from(std::process::id()) | 1;
    println!("{kills} kills, seed {random}");
    let mut dir = TempDir::new().unwrap();
    let mut expected: Vec<(u64, EventId)> = Vec::new();
    let (mut unacknowledged, mut total) = (0, 0);
    for kill in 0..kills {
        if kill % 50 == 0 {
            dir = TempDir::new().unwrap();
            expected.clear();
        }
        // xorshift: any moment will do, but a failure must be repeatable by its seed.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let events = usize::try_from(random % 7).unwrap();
        let moment = Duration::from_micros(random / 7 % 1500);
        let acknowledged = append_and_kill(dir.path(), events, moment);
        total += acknowledged.len();
        expected.extend(acknowledged);

        let log = open(dir.path());
        assert_eq!(log.problems(), [], "kill {kill}");
        for (index, id) in &expected {
            assert_eq!(log.id_at(*index).as_ref(), Some(id), "kill {kill}");
        }
        // Appended but killed before it could say so: at most one each time, and part of the log from now on.
        let known = expected.len() as u64;
        assert!(
            log.len() >= known && log.len() <= known + kill % 50 + 1,
            "kill {kill}: {} of {known}",
            log.len()
        );
        unacknowledged = log.len() - known;
        let last = log.id_at(log.len().saturating_sub(1));
        assert_eq!(
            log.head().leaf().cloned(),
            last,
            "kill {kill}: the head follows the last event"
        );
    }
    let log = open(dir.path());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let all = runtime.block_on(log.range(0..log.len())).unwrap();
    assert_eq!(all.len() as u64, log.len(), "every body is whole");
    println!(
        "{kills} kills, {total} acknowledged events, all there; {unacknowledged} more in the last directory"
    );
    assert!(total as u64 >= kills, "the processes got to append");
}

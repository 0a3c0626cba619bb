//! The default policy: what is forced to disk when, as seen by strace.

use std::process::{Command, Stdio};

use openhands_sdk_rs::event_log::{Durability, EventLog, FileStore, Syncer};
use tempfile::TempDir;

use crate::support::{can_trace, message, until};

const DIRECTORY: &str = "OPENHANDS_TEST_BACKGROUND_IN";
const ROUNDS: usize = 10;
/// More events than are forced one by one, unless others write much to the same disk.
const TOGETHER: usize = 40;
/// What is promised, in seconds.
const PROMISED: f64 = 0.1;

/// Not a check of its own: this is what strace watches. Without a directory it has nothing to do.
#[test]
fn the_process_that_is_watched() {
    let Some(dir) = std::env::var_os(DIRECTORY) else {
        return;
    };
    let syncer = Syncer::new();
    let store = FileStore::new(&dir, Durability::Background(syncer.clone()));
    let log = EventLog::open_blocking(store).unwrap();
    for _ in 0..ROUNDS {
        log.append_blocking(message("soon")).unwrap();
        until("forcing", || syncer.waiting() == 0);
    }
    for _ in 0..TOGETHER {
        log.append_blocking(message("together")).unwrap();
    }
    until("forcing", || syncer.waiting() == 0);
}

/// The time of a line of the trace, in seconds.
fn time(line: &str) -> f64 {
    let time = line
        .split_whitespace()
        .find(|word| word.contains('.'))
        .unwrap();
    time.parse().unwrap()
}

#[test]
fn an_event_is_forced_soon_after_it_is_seen_and_its_name_after_it() {
    if !can_trace() {
        return;
    }
    let dir = TempDir::new().unwrap();
    let trace = dir.path().join("trace");
    let status = Command::new("strace")
        .args(["-f", "-y", "-ttt", "-s", "400", "-e"])
        .arg("trace=fadvise64,fsync,fdatasync,syncfs,rename,renameat,renameat2,linkat")
        .arg("-o")
        .arg(&trace)
        .arg(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "background::the_process_that_is_watched",
            "--test-threads=1",
        ])
        .env(DIRECTORY, dir.path().join("conversation"))
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    let trace = std::fs::read_to_string(trace).unwrap();
    let lines: Vec<&str> = trace.lines().collect();
    let next = |from: usize, words: [&str; 2]| {
        let mut after = lines.iter().enumerate().skip(from);
        let found = after.find(|(_, line)| words.iter().all(|word| line.contains(word)));
        found.unwrap_or_else(|| panic!("no {words:?} after line {from} of\n{trace}"))
    };
    let mut delays = Vec::new();
    for round in 0..ROUNDS {
        let name = format!("event-{round:05}-");
        // By a rename or a link.
        let (at, named) = next(0, ["AT_FDCWD", &name]);
        // All of a batch is begun to be written before the first of it is waited for.
        let (begun, _) = next(at, ["fadvise64(", &name]);
        let (at, _) = next(at, ["sync(", &name]);
        assert!(begun < at, "forced before it was begun in\n{trace}");
        let (_, kept) = next(at, ["sync(", "/events>"]);
        delays.push(time(kept) - time(named));
    }
    for event in ROUNDS..ROUNDS + TOGETHER {
        let name = format!("event-{event:05}-");
        let (at, _) = next(0, ["AT_FDCWD", &name]);
        let mut after = lines.iter().skip(at + 1);
        let is_forced =
            |line: &str| line.contains("syncfs(") || line.contains("sync(") && line.contains(&name);
        assert!(
            after.any(|line| is_forced(line)),
            "{name} is not forced in\n{trace}"
        );
    }
    // A busy machine or disk may be late now and then; a promise that is not meant is never kept.
    let best = delays.iter().copied().fold(f64::INFINITY, f64::min);
    println!("forced after {delays:.3?} s");
    assert!(best < PROMISED, "forced after {delays:?} s");
}

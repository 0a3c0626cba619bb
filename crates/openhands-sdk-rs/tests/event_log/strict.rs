//! The strict policy: the order of system calls, as seen by strace.

use std::process::{Command, Stdio};

use openhands_sdk_rs::event_log::{Durability, EventLog, FileStore};
use tempfile::TempDir;

use crate::support::{can_trace, message};

const DIRECTORY: &str = "OPENHANDS_TEST_STRICT_IN";

/// Not a check of its own: this is what strace watches. Without a directory it has nothing to do.
#[test]
fn the_process_that_is_watched() {
    let Some(dir) = std::env::var_os(DIRECTORY) else {
        return;
    };
    let log = EventLog::open_blocking(FileStore::new(&dir, Durability::Strict)).unwrap();
    for _ in 0..3 {
        let stored = log.append_blocking(message("strictly")).unwrap();
        // A file that cannot exist: its name in the trace tells when the event became visible.
        let seen = std::path::Path::new(&dir).join(format!("visible-{}", stored.id()));
        assert!(std::fs::File::open(seen).is_err());
    }
}

#[test]
fn an_event_and_its_name_are_forced_to_disk_before_anyone_sees_it() {
    if !can_trace() {
        return;
    }
    let dir = TempDir::new().unwrap();
    let trace = dir.path().join("trace");
    let conversation = dir.path().join("conversation");
    let status = Command::new("strace")
        .args([
            "-f",
            "-y",
            "-s",
            "400",
            "-e",
            "trace=openat,open,fsync,fdatasync,rename,renameat,renameat2,linkat,write",
        ])
        .arg("-o")
        .arg(&trace)
        .arg(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "strict::the_process_that_is_watched",
            "--test-threads=1",
        ])
        .env(DIRECTORY, &conversation)
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    let trace = std::fs::read_to_string(trace).unwrap();
    let lines: Vec<&str> = trace.lines().collect();
    let next = |from: usize, what: &str, holds: &dyn Fn(&str) -> bool| {
        let found = lines.iter().skip(from).position(|line| holds(line));
        from + found.unwrap_or_else(|| panic!("no {what} after line {from} of\n{trace}"))
    };
    // Under a temporary name, or without any: strace shows the number of such a file.
    let is_aside = |l: &str| l.contains(".eventlog-next.tmp>") || l.contains("/events/#");
    let mut at = 0;
    for round in 0..3 {
        let name = format!("event-{round:05}-");
        let written = next(at, "write", &|l| l.contains("write(") && is_aside(l));
        let forced = next(written, "fsync of the event", &|l| {
            l.contains("sync(") && is_aside(l)
        });
        let named = next(forced, "name", &|l| {
            (l.contains("rename") || l.contains("linkat")) && l.contains(&name)
        });
        let kept = next(named, "fsync of the directory", &|l| {
            l.contains("fsync(") && l.contains("/events>")
        });
        let seen = next(at, "visibility", &|l| l.contains("visible-"));
        assert!(
            kept < seen,
            "event {round} was seen before it was kept:\n{trace}"
        );
        at = seen + 1;
    }
}

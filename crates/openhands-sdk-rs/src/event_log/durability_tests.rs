use std::fs;

use super::*;

fn until(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < deadline, "{what} did not happen");
        thread::yield_now();
    }
}

fn has_thread(syncer: &Syncer) -> bool {
    syncer.handle.shared.state.lock().has_thread
}

#[test]
fn writes_are_forced_without_being_asked_and_the_thread_ends() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a");
    fs::write(&file, "x").unwrap();
    let syncer = Syncer::new();
    assert!(!has_thread(&syncer));
    syncer.add(dir.path(), vec![file.clone()]);
    assert_eq!(syncer.waiting(), 1);
    assert!(has_thread(&syncer));
    until("forcing", || syncer.waiting() == 0);
    until("the end of the thread", || !has_thread(&syncer));
    syncer.add(dir.path(), vec![file.clone()]);
    until("forcing again", || syncer.waiting() == 0);
}

#[test]
fn a_flush_does_not_wait_for_the_time_to_pass() {
    let dir = tempfile::tempdir().unwrap();
    let syncer = Syncer::new();
    for round in 0..200 {
        let file = dir.path().join(format!("{round}"));
        fs::write(&file, "x").unwrap();
        syncer.add(dir.path(), vec![file.clone()]);
        if round % 50 == 0 {
            syncer.flush().unwrap();
            assert_eq!(syncer.waiting(), 0);
        }
    }
    syncer.flush().unwrap();
    assert_eq!(syncer.waiting(), 0);
}

#[test]
fn what_was_deleted_meanwhile_is_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    let gone = dir.path().join("gone");
    let syncer = Syncer::new();
    syncer.add(&gone, vec![gone.join("file")]);
    syncer.flush().unwrap();
}

#[test]
fn a_failure_is_told_to_the_next_who_flushes() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "x").unwrap();
    let syncer = Syncer::new();
    // A path below a file cannot be opened, and not because it is missing.
    syncer.add(&file.join("below"), Vec::new());
    assert!(syncer.flush().is_err());
    syncer.add(dir.path(), Vec::new());
    syncer.flush().unwrap();
}

#[test]
fn the_last_handle_hurries_the_thread_to_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let syncer = Syncer::new();
    syncer.add(dir.path(), Vec::new());
    let shared = Arc::downgrade(&syncer.handle.shared);
    drop(syncer);
    until("the end of the thread", || shared.upgrade().is_none());
}

#[test]
fn writes_that_keep_coming_do_not_put_off_the_first() {
    let dir = tempfile::tempdir().unwrap();
    assert!(COLLECT < Duration::from_millis(100), "what is promised");
    // The thread may be quicker than the test; then it is tried again.
    for _ in 0..1000 {
        let syncer = Syncer::new();
        let since = || {
            let state = syncer.handle.shared.state.lock();
            state.since.filter(|_| state.done == 0)
        };
        syncer.add(dir.path(), Vec::new());
        let first = since();
        syncer.add(dir.path(), Vec::new());
        let second = since();
        if first.is_some() && second.is_some() {
            assert_eq!(first, second);
            return;
        }
    }
    panic!("the thread was always quicker");
}

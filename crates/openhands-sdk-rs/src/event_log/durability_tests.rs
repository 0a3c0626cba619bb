use std::fs;

use bytes::Bytes;
use openhands_protocol::EventId;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::*;
use crate::event_log::{EventStore as _, FileStore};

fn until(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < deadline, "{what} did not happen");
        thread::yield_now();
    }
}

fn has_thread(syncer: &Syncer) -> bool {
    syncer.handle.shared.state.lock().alarm.is_some()
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

#[test]
fn files_are_made_before_they_are_needed_and_leave_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let syncer = Syncer::new();
    let durability = Durability::Background(syncer.clone());
    assert!(durability.spare().is_none());
    syncer.add(dir.path(), Vec::new());
    syncer.flush().unwrap();
    let spares = || syncer.handle.shared.spares.lock().len();
    assert_eq!(spares(), SPARES);
    let store = FileStore::new(dir.path().join("conversation"), durability);
    let (id, json) = (EventId::random(), Bytes::from_static(b"{}"));
    store.append(0, &id, &json).unwrap();
    assert_eq!(spares(), SPARES - 1);
    assert_eq!(store.read(0, &id).unwrap(), json);
    store.sync().unwrap();
    assert_eq!(spares(), SPARES);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_file_that_was_made_in_another_file_system_is_not_used() {
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let program = std::env::current_exe().unwrap();
    let dir = tempfile::tempdir_in(program.parent().unwrap()).unwrap();
    let device = |path: &Path| fs::metadata(path).unwrap().dev();
    assert_ne!(device(memory.path()), device(dir.path()));
    let syncer = Syncer::new();
    syncer.add(memory.path(), Vec::new());
    syncer.flush().unwrap();
    assert_eq!(syncer.handle.shared.spares.lock().len(), SPARES);
    let store = FileStore::new(dir.path(), Durability::Background(syncer));
    let (id, json) = (EventId::random(), Bytes::from_static(b"{}"));
    store.append(0, &id, &json).unwrap();
    assert_eq!(store.read(0, &id).unwrap(), json);
    assert_eq!(store.list().unwrap().ids, [id]);
}

#[test]
fn a_file_system_is_forced_as_a_whole_unless_others_write_much_to_it() {
    let shared = Shared::default();
    let counts = [1, SOME_FILES, SOME_FILES + 1, MANY_FILES, MANY_FILES + 1];
    let by_count = |little| counts.map(|count| shared.forces_all(count, || little));
    assert_eq!(by_count(true), [false, false, true, true, true]);
    assert_eq!(by_count(false), [false, false, false, false, true]);
    shared.note_crowd(CROWDED * 2);
    assert_eq!(by_count(true), [false, false, false, false, true]);
    shared.note_crowd(CROWDED / 2);
    assert_eq!(by_count(true), [false, false, true, true, true]);
}

#[test]
fn what_waits_to_be_written_is_read_from_the_kernel() {
    let vmstat =
        "nr_free_pages 7\nnr_dirty 5\nnr_writeback 3\nnr_writeback_temp 9\nnr_dirty_threshold 2\n";
    assert_eq!(pages_waiting(vmstat), Some(8));
    assert_eq!(pages_waiting("nr_dirty 5\n"), None);
    let now = fs::read_to_string("/proc/vmstat").unwrap();
    assert!(pages_waiting(&now).is_some());
}

const FEW_FILES: &str = "OPENHANDS_TEST_FEW_FILES";

/// Not a check of its own: it takes all files that its process may open. Without being asked it does nothing.
#[test]
fn the_process_that_may_open_no_more_files() {
    if std::env::var_os(FEW_FILES).is_none() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("event");
    fs::write(&path, "{}").unwrap();
    let shared = Shared::default();
    shared.make_spares(dir.path());
    assert_eq!(shared.spares.lock().len(), SPARES);
    let limit = Rlimit {
        current: Some(100),
        ..getrlimit(Resource::Nofile)
    };
    setrlimit(Resource::Nofile, limit).unwrap();
    let mut taken = Vec::new();
    let last = loop {
        match File::open("/dev/null") {
            Ok(file) => taken.push(file),
            Err(error) => break error,
        }
    };
    assert!(is_too_many(&last), "{last}");
    assert!(shared.open(&path).unwrap().is_some());
    assert_eq!(shared.spares.lock().len(), 0);
}

#[test]
fn files_that_were_made_for_later_give_way_to_those_that_are_forced_now() {
    let name = "event_log::durability::tests::the_process_that_may_open_no_more_files";
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--test-threads=1"])
        .env(FEW_FILES, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success(), "{said}");
    assert!(said.contains("1 passed"), "{said}");
}

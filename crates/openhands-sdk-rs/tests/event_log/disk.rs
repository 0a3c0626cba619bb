//! The directory: names, permissions, markers, sharing with another writer, leases.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use openhands_sdk_rs::event_log::{
    Durability, EventLog, FileStore, Lease, LeaseError, LeaseOwner, LogError, StoreError, Syncer,
};
use openhands_sdk_rs::protocol::Event;
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use crate::support::{fill, message, names, open, store};

#[test]
fn the_directory_has_the_files_of_the_layout() {
    let dir = TempDir::new().unwrap();
    let conversation = dir.path().join("conversation");
    let log = open(&conversation);
    assert!(
        !conversation.exists(),
        "nothing is created before something is stored"
    );
    let ids = fill(&log, &["a", "b"]);
    drop(log);
    let events = conversation.join("events");
    let expected = [
        ".eventlog-index".to_owned(),
        ".eventlog-len-2.marker".to_owned(),
        ".eventlog.lock".to_owned(),
        format!("event-00000-{}.json", ids[0]),
        format!("event-00001-{}.json", ids[1]),
    ];
    assert_eq!(names(&events), expected);
    for id in 0..2 {
        let file = std::fs::metadata(events.join(&expected[3 + id])).unwrap();
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(
        std::fs::metadata(events.join(&expected[1])).unwrap().len(),
        0
    );
}

#[test]
fn a_log_is_the_same_after_it_was_opened_again() {
    let dir = TempDir::new().unwrap();
    let ids = fill(&open(dir.path()), &["a", "b", "c"]);
    let log = open(dir.path());
    assert_eq!(log.len(), 3);
    assert_eq!(log.head().leaf(), Some(&ids[2]));
    assert_eq!(log.problems(), []);
    let more = fill(&log, &["d"]);
    assert_eq!(log.parent_of(3), Some(2));
    assert_eq!(open(dir.path()).index_of(&more[0]), Some(3));
}

#[test]
fn opening_reads_no_bodies_when_the_index_is_there() {
    let dir = TempDir::new().unwrap();
    let ids = fill(&open(dir.path()), &["a", "b", "c"]);
    for (at, id) in ids.iter().enumerate() {
        let path = dir
            .path()
            .join("events")
            .join(format!("event-{at:05}-{id}.json"));
        std::fs::write(path, "no longer json").unwrap();
    }
    let log = open(dir.path());
    assert_eq!(log.problems(), []);
    assert_eq!(log.kind_at(2).as_deref(), Some("MessageEvent"));
    std::fs::remove_file(dir.path().join("events/.eventlog-index")).unwrap();
    assert_eq!(open(dir.path()).problems().len(), 3);
}

#[test]
fn two_logs_on_one_directory_take_turns_and_miss_nothing() {
    let dir = TempDir::new().unwrap();
    let (one, other) = (open(dir.path()), open(dir.path()));
    for round in 0..10 {
        fill(&one, &["one"]);
        fill(&other, &["other"]);
        assert_eq!(other.len(), 2 * round + 2);
    }
    fill(&one, &["last"]);
    assert_eq!(one.len(), 21);
    let again = open(dir.path());
    assert_eq!((again.len(), again.problems()), (21, Vec::new()));
    assert!(names(&dir.path().join("events")).contains(&".eventlog-len-21.marker".to_owned()));
}

#[test]
fn threads_on_separate_logs_never_write_over_each_other() {
    let dir = TempDir::new().unwrap();
    let append = |name: &'static str| {
        let log = open(dir.path());
        let mut acknowledged = Vec::new();
        while acknowledged.len() < 50 {
            match log.append_blocking(message(name)) {
                Ok(stored) => acknowledged.push(stored.id().clone()),
                Err(LogError::Store(StoreError::Behind { .. })) => {}
                Err(error) => panic!("{error}"),
            }
        }
        acknowledged
    };
    let all = std::thread::scope(|scope| {
        let threads = ["a", "b", "c"].map(|name| scope.spawn(move || append(name)));
        threads.map(|thread| thread.join().unwrap()).concat()
    });
    let log = open(dir.path());
    assert_eq!((log.len(), log.problems()), (150, Vec::new()));
    assert!(all.iter().all(|id| log.index_of(id).is_some()));
}

#[test]
fn an_id_that_the_layout_cannot_name_is_refused() {
    let dir = TempDir::new().unwrap();
    let log = open(dir.path());
    for id in ["short", "../../escape", "with/slash-00000000", ""] {
        let text = format!(r#"{{"id":"{id}","source":"user","kind":"PauseEvent"}}"#);
        let refusal = log.append_blocking(Event::from_slice(text.as_bytes()).unwrap());
        assert!(
            matches!(refusal, Err(LogError::Store(StoreError::UnstorableId(_)))),
            "{id}"
        );
    }
    assert!(log.is_empty());
}

#[test]
fn a_reader_changes_nothing() {
    let dir = TempDir::new().unwrap();
    fill(&open(dir.path()), &["a"]);
    std::fs::remove_file(dir.path().join("events/.eventlog-index")).unwrap();
    let before = names(&dir.path().join("events"));
    let reader = EventLog::open_blocking(FileStore::reader(dir.path())).unwrap();
    assert_eq!(reader.len(), 1);
    let refusal = reader.append_blocking(message("b")).unwrap_err();
    assert!(matches!(refusal, LogError::Store(StoreError::ReadOnly)));
    drop(reader);
    assert_eq!(names(&dir.path().join("events")), before);
}

#[test]
fn a_lost_lease_stops_every_write() {
    let dir = TempDir::new().unwrap();
    let ours = Lease::claim(dir.path(), LeaseOwner::this_process("ours")).unwrap();
    let log = EventLog::open_blocking(store(dir.path()).with_lease(Arc::new(ours))).unwrap();
    fill(&log, &["a"]);
    log.save_state_blocking(b"{}", 1).unwrap();
    std::fs::remove_file(dir.path().join("owner_lease.json")).unwrap();
    let _theirs = Lease::claim(dir.path(), LeaseOwner::this_process("theirs")).unwrap();
    let refusals = [
        log.append_blocking(message("b")).map(drop),
        log.save_state_blocking(b"{\"late\":1}", 1),
    ];
    for refusal in refusals {
        assert!(matches!(
            refusal,
            Err(LogError::Store(StoreError::Lease(LeaseError::Lost)))
        ));
    }
    assert_eq!(log.len(), 1);
    assert_eq!(
        std::fs::read(dir.path().join("base_state.json")).unwrap(),
        b"{}"
    );
}

#[test]
fn a_log_in_the_background_is_forced_to_disk_by_itself() {
    let dir = TempDir::new().unwrap();
    let syncer = Syncer::new();
    let store = FileStore::new(dir.path(), Durability::Background(syncer.clone()));
    let log = EventLog::open_blocking(store).unwrap();
    fill(&log, &["a", "b", "c"]);
    crate::support::until("forcing", || syncer.waiting() == 0);
}

#[test]
fn a_writer_that_died_between_marker_and_event_leaves_no_position_to_be_used_twice() {
    let dir = TempDir::new().unwrap();
    let (dying, living) = (open(dir.path()), open(dir.path()));
    fill(&dying, &["a"]);
    drop(dying);
    let events = dir.path().join("events");
    // As if it had died while adding the second: aside and marked, but without its name.
    std::fs::write(events.join(".eventlog-next.tmp"), "{}").unwrap();
    std::fs::rename(
        events.join(".eventlog-len-1.marker"),
        events.join(".eventlog-len-2.marker"),
    )
    .unwrap();
    fill(&living, &["b", "c"]);
    let log = open(dir.path());
    assert_eq!((log.len(), log.problems()), (3, Vec::new()));
}

//! Properties that hold for any order of events, any cut and any garbage.

use openhands_sdk_rs::event_log::{EventLog, MemoryStore};
use openhands_sdk_rs::protocol::EventId;
use proptest::prelude::*;
use tempfile::TempDir;

use crate::support::{message, open, update, with_parent};

#[derive(Debug, Clone)]
enum Step {
    Say,
    Tell,
    Attach(usize),
    Go(usize),
    GoNowhere,
    Reopen,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => Just(Step::Say),
        2 => Just(Step::Tell),
        1 => any::<usize>().prop_map(Step::Attach),
        2 => any::<usize>().prop_map(Step::Go),
        1 => Just(Step::GoNowhere),
        1 => Just(Step::Reopen),
    ];
    proptest::collection::vec(step, 1..40)
}

/// All that the index says about a log.
fn picture(log: &EventLog) -> Vec<(Option<EventId>, Option<String>, Option<u64>)> {
    (0..log.len())
        .map(|at| (log.id_at(at), log.kind_at(at), log.parent_of(at)))
        .collect()
}

fn save_head(log: &EventLog) {
    let head = log.head();
    let state = serde_json::json!({"leaf_event_id": head.leaf(), "head_is_empty": head.is_empty()});
    log.save_state_blocking(state.to_string().as_bytes(), log.len())
        .unwrap();
}

/// The id of some event of the log.
fn pick(log: &EventLog, choice: usize) -> Option<EventId> {
    let len = usize::try_from(log.len()).unwrap();
    (len > 0).then(|| log.id_at((choice % len) as u64).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn an_index_that_was_kept_says_what_a_rebuilt_one_says(steps in steps()) {
        let dir = TempDir::new().unwrap();
        let mut log = open(dir.path());
        // What the tree must be: the parent of each event, and the head, kept by hand.
        let mut parents: Vec<Option<usize>> = Vec::new();
        let mut head: Option<usize> = None;
        for step in steps {
            match step {
                Step::Say => {
                    log.append_blocking(message("said")).unwrap();
                    parents.push(head);
                    head = Some(parents.len() - 1);
                }
                Step::Tell => {
                    log.append_blocking(update("tags")).unwrap();
                    parents.push(head);
                }
                Step::Attach(choice) => if let Some(id) = pick(&log, choice) {
                    log.append_blocking(with_parent(message("attached"), id.as_str())).unwrap();
                    parents.push(Some(choice % parents.len()));
                    head = Some(parents.len() - 1);
                },
                Step::Go(choice) => if let Some(id) = pick(&log, choice) {
                    log.navigate(Some(id)).unwrap();
                    head = Some(choice % parents.len());
                    save_head(&log);
                },
                Step::GoNowhere => {
                    log.navigate(None).unwrap();
                    head = None;
                    save_head(&log);
                }
                Step::Reopen => {
                    drop(log);
                    log = open(dir.path());
                }
            }
            let found: Vec<_> = (0..log.len()).map(|at| log.parent_of(at).map(|p| usize::try_from(p).unwrap())).collect();
            prop_assert_eq!(&found, &parents);
            let leaf = log.head().leaf().map(|id| usize::try_from(log.index_of(id).unwrap()).unwrap());
            prop_assert_eq!(leaf, head);
        }
        let (kept, before) = (picture(&log), log.head());
        drop(log);
        let reopened = open(dir.path());
        prop_assert_eq!(&picture(&reopened), &kept);
        prop_assert_eq!(reopened.head(), before);
        drop(reopened);
        let _ = std::fs::remove_file(dir.path().join("events/.eventlog-index"));
        let rebuilt = open(dir.path());
        prop_assert_eq!(&picture(&rebuilt), &kept);
        prop_assert_eq!(rebuilt.problems(), []);
        let mut again = Vec::new();
        again.extend(std::fs::read(dir.path().join("events/.eventlog-index")).ok());
        drop(rebuilt);
        prop_assert_eq!(&picture(&open(dir.path())), &kept);
    }

    #[test]
    fn garbage_in_the_directory_never_panics(
        files in proptest::collection::vec(("(event-0000[0-5]-[0-9a-f]{8}\\.json|[a-z.-]{1,12}|\\.eventlog-index|\\.eventlog-len-[0-9]\\.marker)", proptest::collection::vec(any::<u8>(), 0..60)), 0..8),
        state in proptest::collection::vec(any::<u8>(), 0..40),
        half in 0usize..200,
    ) {
        let dir = TempDir::new().unwrap();
        let events = dir.path().join("events");
        std::fs::create_dir_all(&events).unwrap();
        let good = br#"{"id":"00000000","source":"user","parent_id":"00000001","kind":"PauseEvent"}"#;
        std::fs::write(events.join("event-00000-00000000.json"), &good[..half.min(good.len())]).unwrap();
        for (name, contents) in &files {
            if name != "." && name != ".." {
                std::fs::write(events.join(name), contents).unwrap();
            }
        }
        std::fs::write(dir.path().join("base_state.json"), state).unwrap();
        let log = open(dir.path());
        let len = log.len();
        prop_assert!(len >= 1);
        let stored = log.append_blocking(message("goes on")).unwrap();
        prop_assert_eq!(stored.index(), len);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for event in runtime.block_on(log.range(0..log.len())).unwrap() {
            let _ = event.event();
        }
        runtime.block_on(log.active_branch(None)).unwrap();
        drop(log);
        prop_assert_eq!(open(dir.path()).index_of(stored.id()), Some(len));
    }
}

#[test]
fn both_stores_build_the_same_tree() {
    let dir = TempDir::new().unwrap();
    let files = open(dir.path());
    let memory = EventLog::open_blocking(MemoryStore::default()).unwrap();
    for number in 0..20 {
        let event = if number % 3 == 0 {
            update("tags")
        } else {
            message("m")
        };
        files.append_blocking(event.clone()).unwrap();
        memory.append_blocking(event).unwrap();
        if number % 7 == 6 {
            let back = files.id_at(number / 2).unwrap();
            files.navigate(Some(back.clone())).unwrap();
            memory.navigate(Some(back)).unwrap();
        }
    }
    assert_eq!(picture(&files), picture(&memory));
}

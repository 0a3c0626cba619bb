//! Torn, missing, foreign and contradictory files: reported and skipped, never fatal, never overwritten.

use std::fs;

use openhands_sdk_rs::event_log::{EventFilter, Order, PageRequest, Problem};
use openhands_sdk_rs::protocol::EventId;
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use crate::support::{fill, indices, names, open};

fn path(dir: &TempDir, index: usize, id: &EventId) -> std::path::PathBuf {
    dir.path()
        .join("events")
        .join(format!("event-{index:05}-{id}.json"))
}

fn forget_index(dir: &TempDir) {
    fs::remove_file(dir.path().join("events/.eventlog-index")).unwrap();
}

#[tokio::test]
async fn a_torn_file_keeps_its_position_and_is_skipped() {
    for torn in [
        &b""[..],
        b"{\"id\":\"x\",\"sou",
        b"\0\0\0\0\0\0\0\0",
        b"\xff\xfe{}",
    ] {
        let dir = TempDir::new().unwrap();
        let ids = fill(&open(dir.path()), &["a", "b", "c"]);
        fs::write(path(&dir, 1, &ids[1]), torn).unwrap();
        forget_index(&dir);

        let log = open(dir.path());
        assert_eq!(log.len(), 3);
        assert!(matches!(
            &log.problems()[..],
            [Problem::Unreadable { index: 1, .. }]
        ));
        assert_eq!(indices(&log.range(0..9).await.unwrap()), [0, 2]);
        assert_eq!(indices(&log.active_branch(None).await.unwrap()), [0, 2]);
        assert!(log.get(&ids[1]).await.unwrap().is_none());
        let page = PageRequest {
            page_id: None,
            limit: 9,
            order: Order::OldestFirst,
        };
        let found = log.search(&EventFilter::default(), &page).await.unwrap();
        assert_eq!(indices(&found.items), [0, 2]);

        fill(&log, &["d"]);
        assert_eq!(
            fs::read(path(&dir, 1, &ids[1])).unwrap(),
            torn,
            "never overwritten"
        );
        drop(log);
        let again = open(dir.path());
        assert_eq!(again.len(), 4);
        assert_eq!(again.problems().len(), 1);
    }
}

#[tokio::test]
async fn a_file_that_tears_after_it_was_indexed_is_reported_when_it_is_read() {
    let dir = TempDir::new().unwrap();
    let ids = fill(&open(dir.path()), &["a", "b", "c"]);
    fs::write(path(&dir, 2, &ids[2]), "{").unwrap();
    let log = open(dir.path());
    assert_eq!(log.problems(), []);
    assert_eq!(indices(&log.active_branch(None).await.unwrap()), [0, 1]);
    assert_eq!(indices(&log.active_branch(None).await.unwrap()), [0, 1]);
    assert!(matches!(
        &log.problems()[..],
        [Problem::Unreadable { index: 2, .. }]
    ));
}

#[tokio::test]
async fn a_file_that_was_mended_is_read_again() {
    let dir = TempDir::new().unwrap();
    let ids = fill(&open(dir.path()), &["a", "b"]);
    let good = fs::read(path(&dir, 1, &ids[1])).unwrap();
    fs::write(path(&dir, 1, &ids[1]), "").unwrap();
    forget_index(&dir);
    assert_eq!(open(dir.path()).problems().len(), 1);
    fs::write(path(&dir, 1, &ids[1]), good).unwrap();
    let log = open(dir.path());
    assert_eq!(log.problems(), []);
    assert!(log.get(&ids[1]).await.unwrap().is_some());
}

#[test]
fn a_gap_ends_the_log_and_what_is_behind_it_is_kept_aside() {
    let dir = TempDir::new().unwrap();
    let ids = fill(&open(dir.path()), &["a", "b", "c", "d"]);
    fs::remove_file(path(&dir, 1, &ids[1])).unwrap();
    let log = open(dir.path());
    assert_eq!(log.len(), 1);
    assert_eq!(
        log.problems(),
        [Problem::Gap {
            index: 1,
            behind: 2
        }]
    );
    assert!(path(&dir, 2, &ids[2]).exists(), "opening changes no event");

    let new = fill(&log, &["x", "y", "z"]);
    drop(log);
    let again = open(dir.path());
    assert_eq!((again.len(), again.problems()), (4, Vec::new()));
    assert_eq!(again.index_of(&new[2]), Some(3));
    let set_aside = format!(".stranded-event-00002-{}.json", ids[2]);
    assert!(names(&dir.path().join("events")).contains(&set_aside));
}

#[test]
fn two_files_for_one_position_are_told_and_the_choice_is_always_the_same() {
    let dir = TempDir::new().unwrap();
    let ids = fill(&open(dir.path()), &["a", "b"]);
    let rival: EventId = "00000000-0000-4000-8000-000000000000".into();
    fs::copy(path(&dir, 1, &ids[1]), path(&dir, 1, &rival)).unwrap();
    for _ in 0..2 {
        let log = open(dir.path());
        assert_eq!(log.len(), 2);
        assert_eq!(log.id_at(1), Some(rival.clone()));
        assert!(log.problems().contains(&Problem::SamePosition {
            index: 1,
            kept: rival.clone(),
            left_out: ids[1].clone(),
        }));
    }
}

#[test]
fn files_that_are_no_events_are_told_and_left_alone() {
    let dir = TempDir::new().unwrap();
    fill(&open(dir.path()), &["a"]);
    let events = dir.path().join("events");
    fs::write(events.join("notes.txt"), "mine").unwrap();
    fs::write(events.join(".event-00001-abcdef01.json.tmp"), "half").unwrap();
    fs::create_dir(events.join("event-00001-abcdef01.json")).unwrap();
    let log = open(dir.path());
    assert_eq!(
        log.len(),
        2,
        "a directory with the name of an event is an unreadable one"
    );
    let problems = log.problems();
    assert!(problems.contains(&Problem::UnknownFile {
        name: "notes.txt".to_owned()
    }));
    assert!(matches!(
        problems[..],
        [_, Problem::Unreadable { index: 1, .. }]
    ));
    fill(&log, &["b"]);
    assert_eq!(log.len(), 3);
}

#[test]
fn a_marker_that_counts_wrong_costs_nothing() {
    let dir = TempDir::new().unwrap();
    fill(&open(dir.path()), &["a", "b"]);
    let events = dir.path().join("events");
    fs::rename(
        events.join(".eventlog-len-2.marker"),
        events.join(".eventlog-len-7.marker"),
    )
    .unwrap();
    fs::write(events.join(".eventlog-len-1.marker"), "").unwrap();
    fill(&open(dir.path()), &["c"]);
    let markers: Vec<_> = names(&events)
        .into_iter()
        .filter(|name| name.ends_with(".marker"))
        .collect();
    assert_eq!(markers, [".eventlog-len-3.marker"]);
}

#[test]
fn an_event_replaced_behind_the_log_is_noticed_instead_of_overwritten() {
    let dir = TempDir::new().unwrap();
    let log = open(dir.path());
    let ids = fill(&log, &["a", "b"]);
    let events = dir.path().join("events");
    fs::rename(
        path(&dir, 1, &ids[1]),
        events.join("event-00001-abcdef01.json"),
    )
    .unwrap();
    fs::write(events.join("event-00002-abcdef02.json"), "{}").unwrap();
    fs::remove_file(events.join(".eventlog-len-2.marker")).unwrap();
    let refusal = log
        .append_blocking(crate::support::message("c"))
        .unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "the stored events were replaced: position 1 holds another event"
    );
}

#[test]
fn the_largest_position_there_can_be_is_just_behind_a_gap() {
    let dir = TempDir::new().unwrap();
    fill(&open(dir.path()), &["a"]);
    let name = format!("events/event-{}-abcdef01.json", u64::MAX);
    fs::write(dir.path().join(name), "{}").unwrap();
    let log = open(dir.path());
    assert_eq!(
        (log.len(), log.problems()),
        (
            1,
            vec![Problem::Gap {
                index: 1,
                behind: 1
            }]
        )
    );
    fill(&log, &["b"]);
}

//! The state beside the log, and the head after a restart.

use std::os::unix::fs::{MetadataExt, PermissionsExt};

use bytes::Bytes;
use openhands_sdk_rs::event_log::{EventLog, Head, Problem};
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use crate::support::{fill, message, open, update};

/// Saves a state that says nothing but where the head is.
async fn save_head(log: &EventLog) {
    let head = log.head();
    let state = serde_json::json!({"leaf_event_id": head.leaf(), "head_is_empty": head.is_empty()});
    log.save_state(Bytes::from(state.to_string()), log.len())
        .await
        .unwrap();
}

#[tokio::test]
async fn the_state_is_saved_whole_and_private() {
    let dir = TempDir::new().unwrap();
    let log = open(dir.path());
    assert_eq!(log.load_state().await.unwrap(), None);
    for text in [r#"{"a":1}"#, r#"{"b":2}"#] {
        log.save_state(Bytes::from(text), 0).await.unwrap();
        assert_eq!(log.load_state().await.unwrap().unwrap(), text);
    }
    let file = std::fs::metadata(dir.path().join("base_state.json")).unwrap();
    assert_eq!(file.permissions().mode() & 0o777, 0o600);
    assert_eq!(file.len(), 7);
}

#[tokio::test]
async fn states_are_written_to_two_files_in_turns() {
    let dir = TempDir::new().unwrap();
    let log = open(dir.path());
    let mut files = Vec::new();
    for number in 0..6 {
        let text = format!("{{\"n\":\"{}\"}}", "x".repeat(6 - number));
        log.save_state(Bytes::from(text.clone()), 0).await.unwrap();
        assert_eq!(log.load_state().await.unwrap().unwrap(), text);
        let file = std::fs::metadata(dir.path().join("base_state.json")).unwrap();
        files.push(file.ino());
    }
    assert_ne!(files[0], files[1]);
    assert_eq!(files[2..4], files[..2]);
    assert_eq!(files[4..], files[..2]);
}

#[tokio::test]
async fn a_state_that_has_a_second_name_or_other_rights_is_not_written_over() {
    let dir = TempDir::new().unwrap();
    let (state, backup) = (dir.path().join("base_state.json"), dir.path().join("kept"));
    let log = open(dir.path());
    log.save_state(Bytes::from("1"), 0).await.unwrap();
    std::fs::hard_link(&state, &backup).unwrap();
    for text in ["2", "3", "4"] {
        log.save_state(Bytes::from(text), 0).await.unwrap();
        std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o644)).unwrap();
    }
    log.save_state(Bytes::from("5"), 0).await.unwrap();
    assert_eq!(std::fs::read_to_string(&backup).unwrap(), "1");
    assert_eq!(std::fs::read_to_string(&state).unwrap(), "5");
    let mode = std::fs::metadata(&state).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn events_after_the_last_saved_state_move_the_head_when_the_log_is_opened() {
    let dir = TempDir::new().unwrap();
    let log = open(dir.path());
    fill(&log, &["a", "b"]);
    save_head(&log).await;
    let ids = fill(&log, &["c", "d"]);
    log.append(update("tags")).await.unwrap();
    drop(log);
    assert_eq!(open(dir.path()).head(), Head::At(ids[1].clone()));
}

#[tokio::test]
async fn a_head_that_was_moved_back_and_saved_stays_there() {
    let dir = TempDir::new().unwrap();
    let log = open(dir.path());
    let ids = fill(&log, &["a", "b", "c"]);
    save_head(&log).await;
    log.navigate(Some(ids[0].clone())).unwrap();
    save_head(&log).await;
    drop(log);
    assert_eq!(open(dir.path()).head(), Head::At(ids[0].clone()));
    let log = open(dir.path());
    let branch = log.append(message("d")).await.unwrap();
    drop(log);
    let log = open(dir.path());
    assert_eq!(log.head(), Head::At(branch.id().clone()));
    log.navigate(None).unwrap();
    save_head(&log).await;
    drop(log);
    assert_eq!(open(dir.path()).head(), Head::Empty);
}

#[tokio::test]
async fn a_state_that_another_writer_left_is_believed() {
    let dir = TempDir::new().unwrap();
    let log = open(dir.path());
    let ids = fill(&log, &["a", "b", "c"]);
    save_head(&log).await;
    fill(&log, &["d"]);
    drop(log);
    let theirs = format!(
        r#"{{"leaf_event_id": "{}", "head_is_empty": false}}"#,
        ids[1]
    );
    std::fs::write(dir.path().join("base_state.json"), theirs).unwrap();
    assert_eq!(open(dir.path()).head(), Head::At(ids[1].clone()));
}

#[tokio::test]
async fn a_rewritten_index_still_knows_the_saved_state() {
    let dir = TempDir::new().unwrap();
    let log = open(dir.path());
    fill(&log, &["a"]);
    save_head(&log).await;
    let ids = fill(&log, &["b"]);
    drop(log);
    let index = dir.path().join("events/.eventlog-index");
    let mut bytes = std::fs::read(&index).unwrap();
    bytes.extend_from_slice(b"torn");
    std::fs::write(&index, bytes).unwrap();
    for _ in 0..2 {
        assert_eq!(open(dir.path()).head(), Head::At(ids[0].clone()));
    }
}

#[test]
fn a_head_that_is_not_in_the_log_gives_way_to_the_last_event() {
    let dir = TempDir::new().unwrap();
    let ids = fill(&open(dir.path()), &["a", "b"]);
    std::fs::write(
        dir.path().join("base_state.json"),
        r#"{"leaf_event_id":"gone"}"#,
    )
    .unwrap();
    let log = open(dir.path());
    assert_eq!(log.head(), Head::At(ids[1].clone()));
    assert_eq!(
        log.problems(),
        [Problem::LostHead {
            leaf: "gone".into()
        }]
    );
}

#[test]
fn a_state_that_is_no_json_does_not_stop_the_log() {
    let dir = TempDir::new().unwrap();
    let ids = fill(&open(dir.path()), &["a"]);
    std::fs::write(dir.path().join("base_state.json"), "{").unwrap();
    assert_eq!(open(dir.path()).head(), Head::At(ids[0].clone()));
}

#[tokio::test]
async fn events_appended_to_a_state_that_another_writer_left_move_the_head_when_the_log_is_opened()
{
    let dir = TempDir::new().unwrap();
    let ids = fill(&open(dir.path()), &["a", "b"]);
    let theirs = format!(
        r#"{{"leaf_event_id": "{}", "head_is_empty": false}}"#,
        ids[0]
    );
    std::fs::write(dir.path().join("base_state.json"), theirs).unwrap();
    let log = open(dir.path());
    assert_eq!(log.head(), Head::At(ids[0].clone()));
    let branch = fill(&log, &["c"]);
    assert_eq!(log.parent_of(2), Some(0));
    drop(log);
    for _ in 0..2 {
        assert_eq!(open(dir.path()).head(), Head::At(branch[0].clone()));
    }
}

#[tokio::test]
async fn the_head_of_a_writer_that_died_in_a_step_follows_what_grew_from_it() {
    let dir = TempDir::new().unwrap();
    let ids = fill(&open(dir.path()), &["a", "b", "c"]);
    let state = |leaf: usize, status: &str| {
        let theirs = format!(
            r#"{{"leaf_event_id": "{}", "execution_status": "{status}"}}"#,
            ids[leaf]
        );
        std::fs::write(dir.path().join("base_state.json"), theirs).unwrap();
    };
    state(1, "running");
    assert_eq!(open(dir.path()).head(), Head::At(ids[2].clone()));
    // Where a user moved it while nothing ran, it stays.
    state(1, "idle");
    assert_eq!(open(dir.path()).head(), Head::At(ids[1].clone()));
    // What grew elsewhere has nothing to do with it.
    let log = open(dir.path());
    log.navigate(Some(ids[0].clone())).unwrap();
    fill(&log, &["d"]);
    drop(log);
    state(1, "running");
    assert_eq!(open(dir.path()).head(), Head::At(ids[1].clone()));
}

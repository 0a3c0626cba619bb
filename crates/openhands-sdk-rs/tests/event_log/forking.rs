//! Copies of a log and of a branch.

use openhands_sdk_rs::event_log::{EventLog, MemoryStore};
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use crate::support::{fill, indices, message, open, update};

#[tokio::test]
async fn a_whole_copy_has_the_same_events_and_the_same_head() {
    let (from, to) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let log = open(from.path());
    let ids = fill(&log, &["a", "b", "c"]);
    log.append(update("tags")).await.unwrap();
    log.navigate(Some(ids[1].clone())).unwrap();
    let copy = open(to.path());
    log.fork_into(&copy, None).await.unwrap();
    assert_eq!(copy.head(), log.head());
    for index in 0..4 {
        let name = format!("events/event-{index:05}-{}.json", log.id_at(index).unwrap());
        let original = std::fs::read(from.path().join(&name)).unwrap();
        assert_eq!(std::fs::read(to.path().join(&name)).unwrap(), original);
    }
    copy.append(message("d")).await.unwrap();
    assert_eq!(indices(&copy.active_branch(None).await.unwrap()), [0, 1, 4]);
    assert_eq!(log.len(), 4);
}

#[tokio::test]
async fn a_copied_branch_has_only_its_own_events() {
    let log = EventLog::open(MemoryStore::default()).await.unwrap();
    let ids = fill(&log, &["a", "b", "c"]);
    log.navigate(Some(ids[0].clone())).unwrap();
    let other = fill(&log, &["d", "e"]);
    let copy = EventLog::open(MemoryStore::default()).await.unwrap();
    log.fork_into(&copy, Some(&other[0])).await.unwrap();
    assert_eq!(copy.len(), 2);
    assert_eq!(copy.head().leaf(), Some(&other[0]));
    let path: Vec<_> = copy
        .active_branch(None)
        .await
        .unwrap()
        .iter()
        .map(|e| e.id().clone())
        .collect();
    assert_eq!(path, [ids[0].clone(), other[0].clone()]);
    assert!(log.fork_into(&copy, Some(&"unknown".into())).await.is_err());
}

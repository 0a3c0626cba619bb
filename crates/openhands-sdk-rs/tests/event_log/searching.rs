//! Pages, filters and counts.

use openhands_sdk_rs::event_log::{EventFilter, EventLog, Order, PageRequest};
use openhands_sdk_rs::protocol::conversation::EventPage;
use openhands_sdk_rs::protocol::event::Source;
use openhands_sdk_rs::protocol::message::{Content, TextContent};
use openhands_sdk_rs::protocol::{Event, EventId};
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use crate::support::{fill, indices, message, open, update};

fn page(limit: usize, order: Order, page_id: Option<&EventId>) -> PageRequest {
    PageRequest {
        page_id: page_id.cloned(),
        limit,
        order,
    }
}

async fn found(log: &EventLog, filter: &EventFilter) -> Vec<u64> {
    let all = page(100, Order::OldestFirst, None);
    let items = indices(&log.search(filter, &all).await.unwrap().items);
    assert_eq!(log.count(filter).await.unwrap(), items.len() as u64);
    items
}

fn timed(mut event: Event, time: &str) -> Event {
    event.header_mut().unwrap().timestamp = time.parse().unwrap();
    event
}

#[tokio::test]
async fn pages_follow_each_other_in_both_orders() {
    let dir = TempDir::new().unwrap();
    let log = open(dir.path());
    let ids = fill(&log, &["0", "1", "2", "3", "4"]);
    for (order, expected) in [
        (Order::OldestFirst, [0, 1, 2, 3, 4]),
        (Order::NewestFirst, [4, 3, 2, 1, 0]),
    ] {
        let (mut seen, mut next) = (Vec::new(), None);
        loop {
            let got = log
                .search(&EventFilter::default(), &page(2, order, next.as_ref()))
                .await
                .unwrap();
            seen.extend(indices(&got.items));
            match got.next_page_id {
                Some(id) => next = Some(id),
                None => break,
            }
        }
        assert_eq!(seen, expected);
        let unknown = page(1, order, Some(&"unknown".into()));
        let first = log.search(&EventFilter::default(), &unknown).await.unwrap();
        assert_eq!(indices(&first.items), expected[..1]);
    }
    let exact = log
        .search(&EventFilter::default(), &page(5, Order::OldestFirst, None))
        .await
        .unwrap();
    assert_eq!(exact.next_page_id, None);
    let from = log
        .search(
            &EventFilter::default(),
            &page(1, Order::NewestFirst, Some(&ids[2])),
        )
        .await
        .unwrap();
    assert_eq!(
        (indices(&from.items), from.next_page_id),
        (vec![2], Some(ids[1].clone()))
    );
}

#[tokio::test]
async fn a_page_is_put_together_from_stored_bytes() {
    let dir = TempDir::new().unwrap();
    let log = open(dir.path());
    let ids = fill(&log, &["a", "b", "c"]);
    let got = log
        .search(&EventFilter::default(), &page(2, Order::OldestFirst, None))
        .await
        .unwrap();
    let read: EventPage = serde_json::from_slice(&got.to_json()).unwrap();
    let events: Vec<Event> = got
        .items
        .iter()
        .map(|event| event.event().clone())
        .collect();
    assert_eq!(read.items, events);
    assert_eq!(read.next_page_id.as_deref(), Some(ids[2].as_str()));
    let none = EventFilter {
        kind: Some("PauseEvent".to_owned()),
        ..EventFilter::default()
    };
    let empty = log
        .search(&none, &page(2, Order::OldestFirst, None))
        .await
        .unwrap();
    assert_eq!(empty.to_json(), br#"{"items":[],"next_page_id":null}"#);
}

#[tokio::test]
async fn kind_and_source_are_answered_without_bodies() {
    let dir = TempDir::new().unwrap();
    let log = open(dir.path());
    fill(&log, &["a"]);
    log.append(update("tags")).await.unwrap();
    fill(&log, &["b"]);
    let kind = |kind: &str| EventFilter {
        kind: Some(kind.to_owned()),
        ..EventFilter::default()
    };
    assert_eq!(found(&log, &kind("MessageEvent")).await, [0, 2]);
    assert_eq!(
        found(
            &log,
            &kind("openhands.sdk.event.conversation_state.ConversationStateUpdateEvent")
        )
        .await,
        [1]
    );
    assert_eq!(found(&log, &kind("Message")).await, [] as [u64; 0]);
    let source = EventFilter {
        source: Some(Source::Environment),
        ..EventFilter::default()
    };
    assert_eq!(found(&log, &source).await, [1]);
    drop(log);
    let log = open(dir.path());
    for entry in std::fs::read_dir(dir.path().join("events")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "json") {
            std::fs::remove_file(path).unwrap();
        }
    }
    assert_eq!(log.count(&kind("MessageEvent")).await.unwrap(), 2);
    assert_eq!(log.count(&EventFilter::default()).await.unwrap(), 3);
}

#[tokio::test]
async fn text_is_sought_in_messages_whatever_its_case() {
    let dir = TempDir::new().unwrap();
    let log = open(dir.path());
    fill(&log, &["Ärger im Büro", "nothing"]);
    let mut rich = message("look");
    if let Event::Message(event) = &mut rich {
        event.llm_message.content.push(Content::image("data:x"));
        event.llm_message.reasoning_content = Some("a Büro thought".to_owned());
        event.extended_content.push(TextContent::new("skill text"));
    }
    log.append(rich).await.unwrap();
    log.append(update("büro")).await.unwrap();
    let body = |text: &str| EventFilter {
        body: Some(text.to_owned()),
        ..EventFilter::default()
    };
    assert_eq!(found(&log, &body("BÜRO")).await, [0, 2]);
    assert_eq!(found(&log, &body("ärger")).await, [0]);
    assert_eq!(found(&log, &body("[image: 1 urls] SKILL")).await, [2]);
    let both = EventFilter {
        kind: Some("PauseEvent".to_owned()),
        ..body("büro")
    };
    assert_eq!(found(&log, &both).await, [] as [u64; 0]);
}

#[tokio::test]
async fn times_are_compared_by_their_local_spelling() {
    let dir = TempDir::new().unwrap();
    let log = open(dir.path());
    for time in [
        "2026-01-01T10:00:00",
        "2026-01-01T10:00:00.000001",
        "2026-01-01T10:00:01",
        "2026-01-01 11:00:00",
    ] {
        log.append(timed(message("x"), time)).await.unwrap();
    }
    let since = |time: &str| EventFilter {
        since: Some(time.parse().unwrap()),
        ..EventFilter::default()
    };
    let before = |time: &str| EventFilter {
        before: Some(time.parse().unwrap()),
        ..EventFilter::default()
    };
    // The last one has another spelling: a space sorts before `T`, as in the reference.
    assert_eq!(found(&log, &since("2026-01-01T10:00:00")).await, [0, 1, 2]);
    assert_eq!(
        found(&log, &since("2026-01-01T10:00:00.000001")).await,
        [1, 2]
    );
    assert_eq!(
        found(&log, &before("2026-01-01T10:00:00.000001")).await,
        [0, 3]
    );
    assert_eq!(found(&log, &before("2026-01-01T10:00:01")).await, [0, 1, 3]);
}

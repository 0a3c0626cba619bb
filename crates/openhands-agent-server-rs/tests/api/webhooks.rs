//! Webhooks of a real server: what is reported of a conversation from its start to its end.

use std::time::Duration;

use axum::extract::Request;
use openhands_protocol::server::WebhookSpec;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_util::task::AbortOnDropHandle;

use crate::harness::World;
use crate::model::Model;
use crate::talk::{DEADLINE, script};

/// A receiver of reports: path, key and body of each.
struct Receiver {
    url: String,
    reports: UnboundedReceiver<(String, Option<String>, Value)>,
    _server: AbortOnDropHandle<()>,
}

impl Receiver {
    async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let (sender, reports) = unbounded_channel();
        let take = move |request: Request| {
            let sender = sender.clone();
            async move {
                let (head, body) = request.into_parts();
                let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
                let key = head.headers.get("x-session-api-key");
                let key = key.map(|key| key.to_str().unwrap().to_owned());
                let body = serde_json::from_slice(&body).unwrap();
                let _ = sender.send((head.uri.path().to_owned(), key, body));
            }
        };
        let router = axum::Router::new().fallback(take);
        let server = tokio::spawn(async move {
            axum::serve(listener, router).await.unwrap();
        });
        Self {
            url,
            reports,
            _server: AbortOnDropHandle::new(server),
        }
    }

    /// The next report to a path; others are passed over.
    async fn next(&mut self, wanted: &str) -> Value {
        let waiting = async {
            loop {
                let (path, key, body) = self.reports.recv().await.unwrap();
                assert_eq!(key.as_deref(), Some("hook-key"));
                if path == wanted {
                    return body;
                }
            }
        };
        tokio::time::timeout(DEADLINE, waiting)
            .await
            .expect("a report comes")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_is_reported_from_its_start_to_its_end() {
    let mut receiver = Receiver::start().await;
    let model = Model::start().await;
    let url = receiver.url.clone();
    let world = World::with(|config| {
        config.session_api_keys = vec!["hook-key".to_owned()];
        config.webhooks = vec![WebhookSpec {
            base_url: url,
            event_buffer_size: 3,
            flush_delay: 0.2,
            ..WebhookSpec::default()
        }];
    })
    .await;
    let id = world.start(&model, &[], json!({})).await;
    let begun = receiver.next("/hook/conversations").await;
    assert_eq!(begun["id"], json!(id));
    assert_eq!(begun["execution_status"], "idle");
    assert!(
        begun.as_object().unwrap().contains_key("title"),
        "nulls are there"
    );
    assert_eq!(begun["agent"]["llm"]["api_key"], "**********");

    let path = format!("/api/conversations/{id}");
    world
        .post(&format!("{path}/events"), &script(&json!(["done"]), true))
        .await;
    world.wait_for_status(&id, "finished").await;
    let events_path = format!("/hook/events/{}", id.replace('-', ""));
    let mut events = Vec::new();
    let is_end = |event: &Value| {
        event["key"] == "full_state" && event["value"]["execution_status"] == "finished"
    };
    while !events.iter().any(is_end) {
        let batch = receiver.next(&events_path).await;
        let batch = batch.as_array().unwrap().clone();
        assert!((1..=3).contains(&batch.len()));
        events.extend(batch);
    }
    // All that is stored was reported, in the order of the log.
    let (_, stored) = world.get(&format!("{path}/events/search?limit=100")).await;
    let ids = |events: &[Value]| -> Vec<String> {
        let stored = events.iter().filter(|event| event["key"] != "full_state");
        stored
            .map(|event| event["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(ids(&events), ids(stored["items"].as_array().unwrap()));
    assert!(
        events
            .iter()
            .all(|event| event["kind"] != "StreamingDeltaEvent")
    );
    assert!(
        events
            .iter()
            .all(|event| event.as_object().unwrap().contains_key("parent_id"))
    );

    let (status, _) = world.delete(&path).await;
    assert_eq!(status, 200);
    let ended = receiver.next("/hook/conversations").await;
    assert_eq!(ended["execution_status"], "deleting");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_webhook_delays_nothing() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let model = Model::start().await;
    // It takes connections and never answers.
    let world = World::with(|config| {
        config.webhooks = vec![WebhookSpec {
            base_url: url,
            event_buffer_size: 1,
            ..WebhookSpec::default()
        }];
    })
    .await;
    let began = std::time::Instant::now();
    let id = world.start(&model, &[], json!({})).await;
    world
        .post(
            &format!("/api/conversations/{id}/events"),
            &script(&json!(["done"]), true),
        )
        .await;
    world.wait_for_status(&id, "finished").await;
    assert!(
        began.elapsed() < Duration::from_secs(25),
        "no request to a webhook was waited for"
    );
    let began = std::time::Instant::now();
    world.server.stop().await.unwrap();
    assert!(
        began.elapsed() < Duration::from_secs(3),
        "{:?}",
        began.elapsed()
    );
    drop(listener);
}

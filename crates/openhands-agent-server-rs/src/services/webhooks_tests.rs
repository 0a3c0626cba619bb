use std::collections::VecDeque;
use std::net::SocketAddr;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use openhands_protocol::event::PauseEvent;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::*;

/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(20);

/// A report as the receiver got it.
#[derive(Debug)]
struct Report {
    path: String,
    key: Option<String>,
    body: Value,
}

/// What the receiver does with the next requests; then it says 200.
#[derive(Debug, Clone, Copy)]
enum Answer {
    Status(u16),
    /// It does not answer at all.
    Never,
}

/// A real HTTP server that takes reports.
struct Receiver {
    address: SocketAddr,
    reports: mpsc::UnboundedReceiver<Report>,
    _server: tokio_util::task::AbortOnDropHandle<()>,
}

#[derive(Clone)]
struct Desk {
    reports: mpsc::UnboundedSender<Report>,
    answers: Arc<Mutex<VecDeque<Answer>>>,
}

async fn take(State(desk): State<Desk>, request: Request) -> impl IntoResponse {
    let path = request.uri().path().to_owned();
    let key = request
        .headers()
        .get("x-session-api-key")
        .map(|key| key.to_str().unwrap().to_owned());
    let body = axum::body::to_bytes(request.into_body(), usize::MAX)
        .await
        .unwrap();
    let body = serde_json::from_slice(&body).unwrap();
    desk.reports.send(Report { path, key, body }).unwrap();
    let answer = desk.answers.lock().pop_front();
    match answer {
        None => StatusCode::OK,
        Some(Answer::Status(status)) => StatusCode::from_u16(status).unwrap(),
        Some(Answer::Never) => std::future::pending().await,
    }
}

impl Receiver {
    async fn start(answers: &[Answer]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, reports) = mpsc::unbounded_channel();
        let desk = Desk {
            reports: sender,
            answers: Arc::new(Mutex::new(answers.iter().copied().collect())),
        };
        let router = Router::new().fallback(take).with_state(desk);
        let server = tokio::spawn(async move {
            axum::serve(listener, router).await.unwrap();
        });
        Self {
            address,
            reports,
            _server: tokio_util::task::AbortOnDropHandle::new(server),
        }
    }

    fn spec(&self) -> WebhookSpec {
        WebhookSpec {
            base_url: format!("http://{}/hook/", self.address),
            flush_delay: 0.05,
            retry_delay: 0,
            event_buffer_size: 3,
            ..WebhookSpec::default()
        }
    }

    async fn next(&mut self) -> Report {
        tokio::time::timeout(PATIENCE, self.reports.recv())
            .await
            .expect("a report comes")
            .unwrap()
    }
}

fn pause() -> Event {
    Event::Pause(PauseEvent::now())
}

/// The ids of the events in a report.
fn ids(report: &Report) -> Vec<String> {
    let events = report.body.as_array().unwrap();
    let id = |event: &Value| event["id"].as_str().unwrap().to_owned();
    events.iter().map(id).collect()
}

fn id_of(event: &Event) -> String {
    Form::WEBHOOK.to_value(event).unwrap()["id"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn a_full_batch_goes_at_once_and_the_rest_after_the_delay() {
    let mut receiver = Receiver::start(&[]).await;
    let spec = WebhookSpec {
        flush_delay: 0.3,
        ..receiver.spec()
    };
    let webhooks = Webhooks::new(&[spec], Some("key")).unwrap();
    let conversation = ConversationId::random();
    let events: Vec<Event> = (0..4).map(|_| pause()).collect();
    for event in &events {
        webhooks.event(conversation, event);
    }
    let expected: Vec<String> = events.iter().map(id_of).collect();
    let first = receiver.next().await;
    assert_eq!(first.path, format!("/hook/events/{}", conversation.hex()));
    assert_eq!(first.key.as_deref(), Some("key"));
    assert_eq!(ids(&first), expected[..3]);
    // Every member is there, also those without a value.
    assert_eq!(first.body[0]["parent_id"], Value::Null);
    assert!(first.body[0].as_object().unwrap().contains_key("parent_id"));
    let second = receiver.next().await;
    assert_eq!(ids(&second), expected[3..]);
}

#[tokio::test]
async fn a_failed_batch_is_tried_again_and_then_waits_for_its_turn() {
    let failures = [
        Answer::Status(500),
        Answer::Status(302),
        Answer::Status(503),
    ];
    let mut receiver = Receiver::start(&failures).await;
    let spec = WebhookSpec {
        num_retries: 1,
        ..receiver.spec()
    };
    let webhooks = Webhooks::new(&[spec], None).unwrap();
    let event = pause();
    webhooks.event(ConversationId::random(), &event);
    // Two tries, then it is put back; two tries again, of which the second succeeds.
    for _ in 0..4 {
        let report = receiver.next().await;
        assert_eq!(ids(&report), [id_of(&event)]);
        assert_eq!(report.key, None);
    }
    webhooks.stop(PATIENCE).await;
    assert_eq!(webhooks.waiting(), 0);
    assert!(receiver.reports.try_recv().is_err());
}

#[tokio::test]
async fn a_conversation_is_reported_at_once_and_alone() {
    let mut receiver = Receiver::start(&[]).await;
    let spec = WebhookSpec {
        flush_delay: 1000.0,
        ..receiver.spec()
    };
    let webhooks = Webhooks::new(&[spec], None).unwrap();
    let info: ConversationInfo = serde_json::from_value(json!({
        "id": ConversationId::random(),
        "workspace": {"kind": "LocalWorkspace", "working_dir": "/"},
        "agent": {"kind": "Agent", "llm": {"model": "m"}},
    }))
    .unwrap();
    webhooks.conversation(&info);
    webhooks.conversation(&info);
    for _ in 0..2 {
        let report = receiver.next().await;
        assert_eq!(report.path, "/hook/conversations");
        assert_eq!(report.body["id"], json!(info.id.dashed()));
        assert!(report.body.as_object().unwrap().contains_key("title"));
    }
}

#[tokio::test]
async fn a_closed_conversation_does_not_wait_for_its_batch() {
    let mut receiver = Receiver::start(&[]).await;
    let spec = WebhookSpec {
        flush_delay: 1000.0,
        ..receiver.spec()
    };
    let webhooks = Webhooks::new(&[spec], None).unwrap();
    let conversation = ConversationId::random();
    webhooks.event(conversation, &pause());
    webhooks.flush(conversation);
    assert_eq!(ids(&receiver.next().await).len(), 1);
}

#[tokio::test]
async fn what_waits_goes_out_when_the_server_ends() {
    let mut receiver = Receiver::start(&[]).await;
    let spec = WebhookSpec {
        flush_delay: 1000.0,
        ..receiver.spec()
    };
    let webhooks = Webhooks::new(&[spec], None).unwrap();
    for _ in 0..2 {
        webhooks.event(ConversationId::random(), &pause());
    }
    webhooks.stop(PATIENCE).await;
    assert_eq!(webhooks.waiting(), 0);
    assert_eq!(ids(&receiver.next().await).len(), 1);
    assert_eq!(ids(&receiver.next().await).len(), 1);
}

#[tokio::test]
async fn a_webhook_that_never_answers_delays_neither_events_nor_the_end() {
    let mut receiver = Receiver::start(&[Answer::Never; 100]).await;
    let spec = WebhookSpec {
        max_queue_size: 10,
        ..receiver.spec()
    };
    let webhooks = Webhooks::new(&[spec], None).unwrap();
    let conversation = ConversationId::random();
    for _ in 0..3 {
        webhooks.event(conversation, &pause());
    }
    receiver.next().await;
    for _ in 0..100 {
        webhooks.event(conversation, &pause());
    }
    assert_eq!(webhooks.waiting(), 10);
    assert_eq!(webhooks.dropped(), 90);
    let began = Instant::now();
    webhooks.stop(Duration::from_millis(50)).await;
    assert!(began.elapsed() < Duration::from_secs(5));
    // Also the courier that hangs in its request is gone.
    tokio::time::timeout(PATIENCE, webhooks.couriers.wait())
        .await
        .unwrap();
}

#[tokio::test]
async fn all_conversations_together_stay_within_the_bytes() {
    let spec = WebhookSpec {
        base_url: "http://127.0.0.1:9".to_owned(),
        flush_delay: 1000.0,
        event_buffer_size: 1000,
        max_queue_bytes: 4096,
        ..WebhookSpec::default()
    };
    let webhooks = Webhooks::new(&[spec], None).unwrap();
    for _ in 0..100 {
        webhooks.event(ConversationId::random(), &pause());
    }
    let queues = webhooks.hooks[0].queues.lock();
    let bytes: usize = queues
        .waiting
        .values()
        .map(|waiting| waiting.queue.bytes())
        .sum();
    assert_eq!(queues.bytes, bytes);
    drop(queues);
    assert!(bytes <= 4096 && bytes > 2048, "{bytes}");
    assert!(webhooks.dropped() > 50);
}

#[test]
fn batches_keep_to_their_bytes_and_a_large_event_goes_alone() {
    let spec = WebhookSpec {
        event_buffer_size: 10,
        max_batch_bytes: 12,
        ..WebhookSpec::default()
    };
    let mut queue = Queue::new(Limits::of_events(&spec));
    for text in ["1111", "2222", "3333", "a long one, too long", "4"] {
        queue.put(Bytes::from_static(text.as_bytes()));
    }
    let mut batches = Vec::new();
    while queue.len() > 0 {
        batches.push(String::from_utf8(queue::array(&queue.take(10)).to_vec()).unwrap());
    }
    assert_eq!(
        batches,
        ["[1111,2222]", "[3333]", "[a long one, too long]", "[4]"]
    );
    assert_eq!(queue.bytes(), 0);
}

#[test]
fn a_webhook_that_cannot_work_is_refused() {
    let wrong = |change: fn(&mut WebhookSpec)| {
        let mut spec = WebhookSpec {
            base_url: "http://h".to_owned(),
            ..WebhookSpec::default()
        };
        change(&mut spec);
        Webhooks::new(&[spec], None).unwrap_err().to_string()
    };
    assert_eq!(
        wrong(|spec| spec.base_url = "nowhere".to_owned()),
        "base_url of a webhook: \"nowhere\""
    );
    let error = wrong(|spec| {
        spec.headers.insert("a b".to_owned(), "c".to_owned());
    });
    assert_eq!(error, "header \"a b\" of the webhook http://h");
}

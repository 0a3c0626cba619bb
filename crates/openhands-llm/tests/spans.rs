//! Spans of calls to a model.
//!
//! A program of its own with this one test: whether a span is recorded is settled for all threads when it first occurs
//! on any of them, so tests beside it would decide over it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

#[path = "wire/server.rs"]
#[allow(dead_code, reason = "shared with the other tests, which use all of it")]
mod server;

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;

use openhands_protocol::Secret;
use openhands_protocol::llm::Llm;
use parking_lot::Mutex;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

use crate::server::{Server, answer, ask, hello, llm};

const SECRET: &str = "sk-very-secret-key";

fn reply(text: &str) -> Value {
    json!({
        "id": "chatcmpl-9", "model": "gpt-4o",
        "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 30, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 20}},
    })
}

/// A span's name and its fields, as text.
type Named = (String, HashMap<String, String>);

/// Every span and event.
#[derive(Clone, Default)]
struct Seen {
    spans: Arc<Mutex<Vec<Named>>>,
    by_id: Arc<Mutex<HashMap<u64, usize>>>,
    events: Arc<Mutex<Vec<String>>>,
}

struct Fields<'a>(&'a mut HashMap<String, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Seen {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = HashMap::new();
        attributes.record(&mut Fields(&mut fields));
        if let Some(parent) = context.span(id).and_then(|span| span.parent()) {
            fields.insert("parent".to_owned(), parent.name().to_owned());
        }
        let mut spans = self.spans.lock();
        self.by_id.lock().insert(id.into_u64(), spans.len());
        spans.push((attributes.metadata().name().to_owned(), fields));
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        let at = self.by_id.lock()[&id.into_u64()];
        values.record(&mut Fields(&mut self.spans.lock()[at].1));
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = HashMap::new();
        event.record(&mut Fields(&mut fields));
        self.events.lock().push(format!("{fields:?}"));
    }
}

#[tokio::test]
async fn every_attempt_has_a_span_with_the_usual_fields_and_no_text_or_key() {
    let seen = Seen::default();
    let server = Server::start(vec![
        answer(503, "", &json!({"error": {"message": "overloaded"}})),
        answer(200, "", &reply("THE ANSWER")),
    ])
    .await;
    let llm = Llm {
        api_key: Some(Secret::new(SECRET)),
        temperature: Some(0.5),
        ..llm("openai/gpt-4o", &server)
    };
    let mut request = hello();
    request.options.session = Some("conv-7".to_owned());
    {
        // Only this thread: the test runtime has no other.
        let subscriber = tracing_subscriber::registry().with(seen.clone());
        let _guard = tracing::subscriber::set_default(subscriber);
        ask(&llm, request).await.unwrap();
    }
    let spans = seen.spans.lock().clone();
    let attempts: Vec<_> = spans.iter().filter(|(name, _)| name == "chat").collect();
    assert_eq!(attempts.len(), 2);
    let (_, failed) = attempts[0];
    assert_eq!(failed["error.type"], "\"LLMServiceUnavailableError\"");
    assert_eq!(failed["http.response.status_code"], "503");
    let (_, fine) = attempts[1];
    for (field, value) in [
        ("parent", "model call"),
        ("otel.name", "chat gpt-4o"),
        ("gen_ai.operation.name", "\"chat\""),
        ("gen_ai.provider.name", "\"openai\""),
        ("gen_ai.request.model", "\"gpt-4o\""),
        ("gen_ai.request.temperature", "0.5"),
        ("gen_ai.conversation.id", "\"conv-7\""),
        ("gen_ai.response.id", "\"chatcmpl-9\""),
        ("gen_ai.response.finish_reasons", "\"stop\""),
        ("gen_ai.usage.input_tokens", "30"),
        ("gen_ai.usage.output_tokens", "5"),
        ("gen_ai.usage.cache_read_input_tokens", "20"),
    ] {
        assert_eq!(fine.get(field).map(String::as_str), Some(value), "{field}");
    }
    assert!(fine["gen_ai.usage.cost"].parse::<f64>().unwrap() > 0.0);
    let (_, call) = spans.iter().find(|(name, _)| name == "model call").unwrap();
    assert_eq!(call["attempts"], "2");
    let all = format!("{spans:?} {:?}", seen.events.lock());
    for hidden in [SECRET, "hello", "THE ANSWER"] {
        assert!(!all.contains(hidden), "{hidden} is in {all}");
    }
}

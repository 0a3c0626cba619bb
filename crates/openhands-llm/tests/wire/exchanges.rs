//! Replies as providers send them, whole and streamed, undisturbed and disturbed.

use openhands_llm::{ChatRequest, Completion, Http, StopReason, connect};
use openhands_protocol::llm::Llm;
use openhands_protocol::message::{Content, Message, Role, ThinkingBlock};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::server::{Server, Step, ask, hello, history, llm, raw, send, terminal};

/// A provider's reply, told in both ways.
struct Exchange {
    model: &'static str,
    whole: &'static str,
    streamed: &'static str,
}

macro_rules! exchange {
    ($model:literal, $name:literal) => {
        Exchange {
            model: $model,
            whole: include_str!(concat!("../fixtures/exchanges/", $name, ".json")),
            streamed: include_str!(concat!("../fixtures/exchanges/", $name, ".sse")),
        }
    };
}

const EXCHANGES: &[Exchange] = &[
    exchange!("openai/gpt-4o", "openai_chat"),
    exchange!("openai/gpt-5", "openai_responses"),
    exchange!("anthropic/claude-sonnet-4-5", "anthropic_messages"),
    exchange!("gemini/gemini-2.5-pro", "gemini"),
];

const HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

impl Exchange {
    fn whole(&self) -> Vec<Step> {
        raw(200, "content-type: application/json\r\n", self.whole)
    }

    /// The events of the stream, each with the blank line that ends it.
    fn events(&self) -> Vec<String> {
        let events = self.streamed.split_inclusive("\n\n");
        events.map(str::to_owned).collect()
    }

    fn streamed(&self) -> Vec<Step> {
        let mut steps = vec![send(HEAD)];
        steps.extend(self.events().iter().map(|event| send(event)));
        steps
    }

    fn llm(&self, server: &Server, stream: bool) -> Llm {
        Llm {
            stream,
            ..llm(self.model, server)
        }
    }

    async fn asked(&self, http: &Http, steps: Vec<Vec<Step>>, stream: bool) -> Completion {
        let server = Server::start(steps).await;
        let model = connect(&self.llm(&server, stream), http).unwrap();
        let asked = model.complete(hello(), CancellationToken::new());
        let mut answer = asked.await.unwrap();
        answer.latency = std::time::Duration::ZERO;
        // Ids that a provider left out are made up, and differ.
        for call in answer.message.tool_calls.iter_mut().flatten() {
            if self.model.starts_with("gemini") {
                let (_, kept) = call.id.as_str().split_at("call_".len() + 32);
                call.id = format!("made up{kept}").into();
            }
        }
        answer
    }
}

#[tokio::test]
async fn a_reply_is_understood_and_the_same_in_both_ways() {
    let http = Http::new().unwrap();
    for exchange in EXCHANGES {
        let whole = exchange.asked(&http, vec![exchange.whole()], false).await;
        let mut streamed = exchange.asked(&http, vec![exchange.streamed()], true).await;
        if exchange.model.starts_with("gemini") {
            // The library tells an id only for one of the two.
            streamed.response_id = whole.response_id.clone();
        }
        if exchange.model.starts_with("anthropic") {
            // A whole reply has arguments as values: their text is ours, and says the same.
            let calls = whole.message.tool_calls.iter().flatten();
            let streamed = streamed.message.tool_calls.iter_mut().flatten();
            for (whole, streamed) in calls.zip(streamed) {
                let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
                assert_eq!(read(&whole.arguments), read(&streamed.arguments));
                streamed.arguments.clone_from(&whole.arguments);
            }
        }
        assert_eq!(whole, streamed, "{}", exchange.model);
        let message = &whole.message;
        assert_eq!(
            Content::join_text(&message.content),
            "I look at both places — “quickly”."
        );
        let calls: Vec<_> = message.tool_calls.iter().flatten().collect();
        let names: Vec<_> = calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(names, ["terminal", "read"]);
        let arguments: Vec<Value> = calls
            .iter()
            .map(|call| serde_json::from_str(&call.arguments).unwrap())
            .collect();
        assert_eq!(
            arguments,
            [
                json!({"command": "ls -la /tmp", "timeout": 30}),
                json!({"path": "/etc/hostname", "note": "größe 📏"}),
            ]
        );
        assert_eq!(whole.stop, StopReason::ToolCalls);
        assert!(whole.usage.cost.unwrap() > 0.0);
        assert_eq!(whole.usage.cache_read_tokens, 1536, "{}", exchange.model);
    }
}

#[tokio::test]
async fn each_provider_tells_its_usage_and_its_thinking_in_its_own_way() {
    let mut told = Vec::new();
    let http = Http::new().unwrap();
    for exchange in EXCHANGES {
        let answer = exchange.asked(&http, vec![exchange.streamed()], true).await;
        let usage = answer.usage;
        told.push((
            usage.prompt_tokens,
            usage.completion_tokens,
            usage.cache_write_tokens,
            usage.reasoning_tokens,
            answer.message.reasoning_content.clone(),
        ));
        let message = answer.message;
        match exchange.model {
            "openai/gpt-5" => {
                let item = message.responses_reasoning_item.unwrap();
                assert_eq!(item.id.as_deref(), Some("rs_0c1d"));
                assert_eq!(
                    item.encrypted_content.as_deref(),
                    Some("gAAAAABo-enc-9d8f7a==")
                );
            }
            "anthropic/claude-sonnet-4-5" => {
                assert!(matches!(message.thinking_blocks.as_slice(), [
                    ThinkingBlock::Thinking(text),
                    ThinkingBlock::Redacted(_),
                ] if text.signature.as_deref() == Some("EqQBCkgIBhABGAIiQL8==")));
            }
            _ => {}
        }
    }
    let thought = |text: &str| Some(text.to_owned());
    assert_eq!(
        told,
        [
            (1842, 96, 0, 0, None),
            (
                1842,
                160,
                0,
                64,
                thought("**Looking**\n\nTwo places at once.")
            ),
            (1970, 160, 128, 0, thought("Two places.\nBoth at once.")),
            (1842, 160, 0, 64, thought("Two places at once.")),
        ]
    );
}

#[tokio::test]
async fn a_stream_cut_after_any_event_is_asked_for_again() {
    let http = Http::new().unwrap();
    for exchange in EXCHANGES {
        let events = exchange.events();
        let expected = exchange.asked(&http, vec![exchange.streamed()], true).await;
        // What closes a stream but carries nothing may be missing: the two last events.
        for cut in 0..events.len() - 2 {
            let mut steps = vec![send(HEAD)];
            steps.extend(events[..cut].iter().map(|event| send(event)));
            // In the middle of the next event, too.
            let (half, _) = events[cut].split_at(events[cut].floor_char_boundary(20));
            steps.push(send(half));
            let mut answer = exchange
                .asked(&http, vec![steps, exchange.streamed()], true)
                .await;
            answer.response_id = expected.response_id.clone();
            assert_eq!(answer, expected, "{} cut after {cut}", exchange.model);
        }
    }
}

#[tokio::test]
async fn nonsense_in_the_middle_of_a_stream_is_asked_for_again() {
    let http = Http::new().unwrap();
    for exchange in EXCHANGES {
        let events = exchange.events();
        let expected = exchange.asked(&http, vec![exchange.streamed()], true).await;
        let mut steps = vec![send(HEAD), send(&events[0])];
        steps.push(send("data: {\"choices\": [{]}\n\n"));
        steps.extend(events[1..].iter().map(|event| send(event)));
        let mut answer = exchange
            .asked(&http, vec![steps, exchange.streamed()], true)
            .await;
        answer.response_id = expected.response_id.clone();
        assert_eq!(answer, expected, "{}", exchange.model);
    }
}

#[tokio::test]
async fn a_stream_may_arrive_in_any_pieces() {
    let http = Http::new().unwrap();
    for exchange in EXCHANGES {
        let expected = exchange.asked(&http, vec![exchange.streamed()], true).await;
        for size in [1, 7, 1000] {
            let mut steps = vec![send(HEAD)];
            let bytes = exchange.streamed.as_bytes();
            steps.extend(bytes.chunks(size).map(|piece| Step::Send(piece.to_vec())));
            let mut answer = exchange.asked(&http, vec![steps], true).await;
            answer.response_id = expected.response_id.clone();
            assert_eq!(answer, expected, "{} in pieces of {size}", exchange.model);
        }
    }
}

#[tokio::test]
async fn what_gemini_thought_goes_back_with_the_call_it_belongs_to() {
    let exchange = &EXCHANGES[3];
    let server = Server::start(vec![exchange.streamed()]).await;
    let llm = exchange.llm(&server, true);
    let mut messages = history();
    for _ in 0..2 {
        let answer = ask(
            &llm,
            ChatRequest::new(messages.clone()).with_tools([terminal()]),
        )
        .await
        .unwrap();
        let calls = answer.message.tool_calls.clone().unwrap();
        messages.push(answer.message);
        messages.extend(calls.iter().map(|call| Message {
            role: Role::Tool,
            content: vec!["done".into()],
            tool_call_id: Some(call.id.clone()),
            name: Some(call.name.clone()),
            ..Message::default()
        }));
    }
    let mut ids: Vec<_> = messages
        .iter()
        .flat_map(|message| message.tool_calls.iter().flatten())
        .map(|call| call.id.clone())
        .collect();
    let count = ids.len();
    ids.sort_by(|a, b| a.as_str().cmp(b.as_str()));
    ids.dedup();
    assert_eq!((ids.len(), count), (6, 6), "no id comes twice");

    let body = &server.bodies()[1];
    let turns = body["contents"].as_array().unwrap();
    let parts = turns[turns.len() - 2]["parts"].as_array().unwrap();
    let signatures: Vec<_> = parts
        .iter()
        .map(|part| {
            (
                part["functionCall"]["name"].clone(),
                part["thoughtSignature"].clone(),
            )
        })
        .collect();
    assert_eq!(
        signatures,
        [
            (Value::Null, Value::Null),
            (json!("terminal"), json!("CpcBAVSoXO4+sig/==")),
            (json!("read"), Value::Null),
        ]
    );
    // The model gave no ids, so it gets none back.
    assert!(
        parts
            .iter()
            .all(|part| part["functionCall"]["id"].is_null())
    );
    let results = turns.last().unwrap()["parts"].as_array().unwrap();
    let names: Vec<_> = results
        .iter()
        .map(|part| part["functionResponse"]["name"].clone())
        .collect();
    assert_eq!(names, ["terminal", "read"]);
}

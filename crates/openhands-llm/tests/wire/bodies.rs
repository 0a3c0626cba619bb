//! Bodies of requests that are put together from what was written before.

use std::sync::Arc;

use openhands_llm::{CallOptions, ChatRequest, GenaiModel, Http};
use openhands_protocol::llm::Llm;
use openhands_protocol::message::{Message, MessageToolCall, Role};
use pretty_assertions::assert_eq;

use crate::server::{history, terminal};

const MARK: &str = r#","cache_control":{"type":"ephemeral"}"#;

fn llm(model: &str) -> Llm {
    Llm {
        model: model.to_owned(),
        base_url: Some("http://127.0.0.1:9/v1".to_owned()),
        api_key: Some("key".into()),
        ..Llm::default()
    }
}

fn turn(number: usize) -> [Message; 2] {
    let id = format!("call_{number}");
    let call = MessageToolCall {
        id: id.as_str().into(),
        name: "terminal".to_owned(),
        arguments: format!("{{\"command\":   \"echo ä{number}\"}}"),
        ..MessageToolCall::default()
    };
    [
        Message {
            tool_calls: Some(vec![call]),
            ..Message::text(Role::Assistant, "Next.")
        },
        Message {
            tool_call_id: Some(id.as_str().into()),
            name: Some("terminal".to_owned()),
            ..Message::text(Role::Tool, format!("ä{number}\n"))
        },
    ]
}

#[test]
fn a_body_is_the_same_with_and_without_what_was_kept_and_begins_as_the_one_before() {
    let http = Http::new().unwrap();
    for (name, after) in [
        ("openai/gpt-4o", r#"],"tools":"#),
        ("litellm_proxy/claude-sonnet-4-5", r#"],"tools":"#),
        ("openai/gpt-5", r#"],"tools":"#),
        ("anthropic/claude-sonnet-4-5", r#"]}],"tools":"#),
    ] {
        let warm = GenaiModel::new(&llm(name), http.clone()).unwrap();
        let mut request = ChatRequest {
            messages: history().into_iter().map(Arc::new).collect(),
            tools: [terminal()].into(),
            options: CallOptions::default(),
        };
        let mut before = String::new();
        for number in 0..6 {
            let body =
                |model: &GenaiModel| String::from_utf8(model.body(&request).unwrap()).unwrap();
            let cold = GenaiModel::new(&llm(name), http.clone()).unwrap();
            let text = body(&warm);
            assert_eq!(text, body(&cold), "{name}, turn {number}");
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert!(value.is_object());
            // Marks move with the end; providers do not count them as text of the prompt.
            let bare = text.replace(MARK, "");
            let (conversation, _) = bare.split_once(after).unwrap();
            assert!(conversation.starts_with(&before), "{name}, turn {number}");
            assert!(conversation.len() > before.len() + 50);
            before = conversation.to_owned();
            request.messages.extend(turn(number).map(Arc::new));
        }
        let marks = text_marks(&warm, &request);
        let expected = if name.contains("claude") { 2 } else { 0 };
        assert_eq!(marks, expected, "{name}");
        request.options.without_cache_marks = true;
        assert_eq!(text_marks(&warm, &request), 0, "{name}");
    }
}

fn text_marks(model: &GenaiModel, request: &ChatRequest) -> usize {
    let text = String::from_utf8(model.body(request).unwrap()).unwrap();
    text.matches("cache_control").count()
}

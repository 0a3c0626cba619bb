use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::fold::Fold;
use crate::model::Completion;

fn read(frames: &[Value]) -> Completion {
    let mut reply = ChatReply::default();
    let mut parts = Vec::new();
    for frame in frames {
        reply.frame(frame, &mut parts).unwrap();
    }
    reply.close(&mut parts);
    let mut fold = Fold::default();
    for part in parts {
        fold.add(part);
    }
    fold.finish().unwrap()
}

fn delta(delta: &Value) -> Value {
    json!({"id": "r", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn end() -> Value {
    json!({"id": "r", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
}

#[test]
fn servers_that_repeat_id_and_name_in_every_piece() {
    let piece = |text: &str| {
        delta(
            &json!({"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "terminal", "arguments": text}}]}),
        )
    };
    let calls = read(&[piece("{\"a\""), piece(": 1}"), end()])
        .message
        .tool_calls
        .unwrap();
    assert_eq!(
        (
            calls.len(),
            calls[0].name.as_str(),
            calls[0].arguments.as_str()
        ),
        (1, "terminal", "{\"a\": 1}")
    );
}

#[test]
fn servers_that_do_not_number_their_calls() {
    let call = |id: &str| {
        delta(&json!({"tool_calls": [{"id": id, "function": {"name": "think", "arguments": "{"}}]}))
    };
    let more = delta(&json!({"tool_calls": [{"function": {"arguments": "}"}}]}));
    let calls = read(&[call("a"), more.clone(), call("b"), more, end()])
        .message
        .tool_calls
        .unwrap();
    let seen: Vec<_> = calls
        .iter()
        .map(|call| (call.id.as_str(), call.arguments.as_str()))
        .collect();
    assert_eq!(seen, [("a", "{}"), ("b", "{}")]);
}

#[test]
fn signed_thinking_through_a_proxy_is_put_together() {
    let answer = read(&[
        delta(
            &json!({"reasoning_content": "I th", "thinking_blocks": [{"type": "thinking", "thinking": "I th", "signature": ""}]}),
        ),
        delta(
            &json!({"reasoning_content": "ink", "thinking_blocks": [{"type": "thinking", "thinking": "ink"}]}),
        ),
        delta(
            &json!({"thinking_blocks": [{"type": "thinking", "thinking": "", "signature": "sig"}]}),
        ),
        delta(&json!({"thinking_blocks": [{"type": "redacted_thinking", "data": "xyz"}]})),
        delta(&json!({"content": "So."})),
        end(),
    ]);
    assert_eq!(answer.message.reasoning_content.as_deref(), Some("I think"));
    assert_eq!(
        serde_json::to_value(&answer.message.thinking_blocks).unwrap(),
        json!([
            {"type": "thinking", "thinking": "I think", "signature": "sig"},
            {"type": "redacted_thinking", "data": "xyz"},
        ])
    );
}

#[test]
fn mistral_writes_content_in_chunks() {
    let answer = read(&[
        delta(
            &json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]}),
        ),
        delta(&json!({"content": [{"type": "text", "text": "yes"}]})),
        end(),
    ]);
    assert_eq!(answer.message.reasoning_content.as_deref(), Some("hm"));
    assert_eq!(answer.message.content[0].as_text(), Some("yes"));
}

#[test]
fn a_reply_that_gives_no_reason_to_stop_is_not_complete() {
    let mut reply = ChatReply::default();
    let mut parts = Vec::new();
    reply
        .frame(&delta(&json!({"content": "half"})), &mut parts)
        .unwrap();
    reply.close(&mut parts);
    assert!(!reply.is_complete);
}

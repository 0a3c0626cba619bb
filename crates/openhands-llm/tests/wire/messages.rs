//! Anthropic's Messages API.

use openhands_llm::{ChatRequest, StopReason};
use openhands_protocol::llm::Llm;
use openhands_protocol::message::{Content, Message, Role};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::server::{Server, answer, ask, hello, history, llm, sse, terminal};

const MODEL: &str = "anthropic/claude-sonnet-4-5";

fn reply() -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "stop_reason": "tool_use",
        "content": [
            {"type": "thinking", "thinking": "Let me see.", "signature": "sig=="},
            {"type": "redacted_thinking", "data": "enc"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "t1", "name": "terminal", "input": {"command": "ls"}},
            {"type": "tool_use", "id": "t2", "name": "terminal", "input": {}},
        ],
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 15, "output_tokens": 8},
    })
}

fn events() -> Vec<Value> {
    let start = |index: usize, block: &Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let delta = |index: usize, delta: &Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let stop = |index: usize| json!({"type": "content_block_stop", "index": index});
    vec![
        json!({"type": "message_start", "message": {"id": "msg_1", "usage": {"input_tokens": 5, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 15, "output_tokens": 1}}}),
        start(
            0,
            &json!({"type": "thinking", "thinking": "", "signature": ""}),
        ),
        delta(0, &json!({"type": "thinking_delta", "thinking": "Let me "})),
        json!({"type": "ping"}),
        delta(0, &json!({"type": "thinking_delta", "thinking": "see."})),
        delta(0, &json!({"type": "signature_delta", "signature": "sig"})),
        delta(0, &json!({"type": "signature_delta", "signature": "=="})),
        stop(0),
        start(1, &json!({"type": "redacted_thinking", "data": "enc"})),
        stop(1),
        start(2, &json!({"type": "text", "text": ""})),
        delta(2, &json!({"type": "text_delta", "text": "I "})),
        delta(2, &json!({"type": "text_delta", "text": "look."})),
        stop(2),
        start(
            3,
            &json!({"type": "tool_use", "id": "t1", "name": "terminal", "input": {}}),
        ),
        delta(3, &json!({"type": "input_json_delta", "partial_json": ""})),
        delta(
            3,
            &json!({"type": "input_json_delta", "partial_json": "{\"command\""}),
        ),
        delta(
            3,
            &json!({"type": "input_json_delta", "partial_json": ": \"ls\"}"}),
        ),
        stop(3),
        start(
            4,
            &json!({"type": "tool_use", "id": "t2", "name": "terminal", "input": {}}),
        ),
        stop(4),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 8}}),
        json!({"type": "message_stop"}),
    ]
}

#[tokio::test]
async fn a_reply_is_the_same_whole_and_in_pieces() {
    let server = Server::start(vec![answer(200, "", &reply()), sse(&events())]).await;
    let mut seen = Vec::new();
    for stream in [false, true] {
        let mut answer = ask(
            &Llm {
                stream,
                ..llm(MODEL, &server)
            },
            hello(),
        )
        .await
        .unwrap();
        answer.latency = std::time::Duration::ZERO;
        seen.push(answer);
    }
    assert_eq!(seen[0], seen[1]);
    let reply = &seen[0];
    assert_eq!(Content::join_text(&reply.message.content), "I look.");
    assert_eq!(
        reply.message.reasoning_content.as_deref(),
        Some("Let me see.")
    );
    assert_eq!(
        serde_json::to_value(&reply.message.thinking_blocks).unwrap(),
        json!([
            {"type": "thinking", "thinking": "Let me see.", "signature": "sig=="},
            {"type": "redacted_thinking", "data": "enc"},
        ])
    );
    let calls: Vec<_> = reply
        .message
        .tool_calls
        .iter()
        .flatten()
        .map(|call| (call.id.as_str(), call.arguments.as_str()))
        .collect();
    assert_eq!(calls, [("t1", "{\"command\": \"ls\"}"), ("t2", "{}")]);
    assert_eq!(
        (reply.stop.clone(), reply.response_id.as_str()),
        (StopReason::ToolCalls, "msg_1")
    );
    let usage = reply.usage;
    assert_eq!(
        (
            usage.prompt_tokens,
            usage.cache_read_tokens,
            usage.cache_write_tokens,
            usage.completion_tokens
        ),
        (50, 30, 15, 8)
    );
    let cost = (5.0 * 3.0 + 30.0 * 0.3 + 15.0 * 3.75 + 8.0 * 15.0) / 1e6;
    assert!((usage.cost.unwrap() - cost).abs() < 1e-12);
}

#[tokio::test]
async fn thinking_goes_back_unchanged_and_marks_are_set() {
    let server = Server::start(vec![answer(200, "", &reply())]).await;
    let llm = llm(MODEL, &server);
    let first = ask(&llm, hello()).await.unwrap();
    let mut messages = history();
    messages.truncate(2);
    messages.push(first.message);
    for (id, content) in [
        (
            "t1",
            vec!["a".into(), Content::image("data:image/png;base64,AA==")],
        ),
        (
            "t2",
            vec![Content::text("b"), Content::image("https://x/y.png")],
        ),
    ] {
        messages.push(Message {
            role: Role::Tool,
            content,
            tool_call_id: Some(id.into()),
            ..Message::default()
        });
    }
    ask(&llm, ChatRequest::new(messages).with_tools([terminal()]))
        .await
        .unwrap();
    let request = &server.requests()[1];
    assert_eq!(request.path, "/v1/messages");
    assert_eq!(request.headers["x-api-key"], "sk-test");
    assert_eq!(
        request.headers["anthropic-beta"],
        "interleaved-thinking-2025-05-14"
    );
    let mark = json!({"type": "ephemeral"});
    assert_eq!(
        request.body,
        json!({
            "model": "claude-sonnet-4-5", "stream": false, "max_tokens": 64000,
            "thinking": {"type": "enabled", "budget_tokens": 63999},
            "system": [{"type": "text", "text": "static", "cache_control": mark}, {"type": "text", "text": "dynamic"}],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "text", "text": "around"}]},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "Let me see.", "signature": "sig=="},
                    {"type": "redacted_thinking", "data": "enc"},
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "t1", "name": "terminal", "input": {"command": "ls"}},
                    {"type": "tool_use", "id": "t2", "name": "terminal", "input": {}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "content": [
                        {"type": "text", "text": "a"},
                        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}]},
                    {"type": "tool_result", "tool_use_id": "t2", "cache_control": mark, "content": [
                        {"type": "text", "text": "b"},
                        {"type": "image", "source": {"type": "url", "url": "https://x/y.png"}}]},
                ]},
            ],
            "tools": [{"name": "terminal", "description": "Runs a command.",
                "input_schema": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}}],
        })
    );
}

#[tokio::test]
async fn newer_models_are_told_an_effort() {
    let server = Server::start(vec![answer(200, "", &reply())]).await;
    ask(&llm("anthropic/claude-opus-4-5", &server), hello())
        .await
        .unwrap();
    ask(&llm("anthropic/claude-opus-4-6", &server), hello())
        .await
        .unwrap();
    ask(
        &Llm {
            reasoning_effort: None,
            temperature: Some(0.3),
            ..llm("anthropic/claude-2", &server)
        },
        hello(),
    )
    .await
    .unwrap();
    let bodies = server.bodies();
    assert_eq!(
        (&bodies[0]["output_config"], bodies[0].get("thinking")),
        (&json!({"effort": "high"}), None)
    );
    assert_eq!(bodies[1]["thinking"], json!({"type": "adaptive"}));
    assert_eq!(
        (&bodies[2]["temperature"], &bodies[2]["max_tokens"]),
        (&json!(0.3), &json!(8192))
    );
}

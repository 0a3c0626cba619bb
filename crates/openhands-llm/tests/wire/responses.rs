//! OpenAI's Responses API.

use openhands_llm::{CallOptions, ChatRequest, StopReason};
use openhands_protocol::llm::Llm;
use openhands_protocol::message::{Content, Message, Role};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::server::{Server, answer, ask, hello, history, llm, sse, terminal};

fn output() -> Value {
    json!([
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "thought"}], "encrypted_content": "enc"},
        {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
        {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "terminal", "arguments": "{\"command\":  \"ls\"}"},
        {"type": "function_call", "id": "fc_2", "call_id": "call_2", "name": "terminal", "arguments": "{broken"},
    ])
}

fn response() -> Value {
    json!({
        "id": "resp_1", "object": "response", "model": "gpt-5", "status": "completed", "output": output(),
        "usage": {"input_tokens": 40, "output_tokens": 9, "input_tokens_details": {"cached_tokens": 10},
            "output_tokens_details": {"reasoning_tokens": 4}, "total_tokens": 49},
    })
}

fn events() -> Vec<Value> {
    let output = output();
    let item = |kind: &str, place: usize, item: &Value| json!({"type": format!("response.output_item.{kind}"), "output_index": place, "item": item});
    let begun = |place: usize| {
        let mut begun = output[place].clone();
        begun["arguments"] = json!("");
        begun
    };
    let delta = |place: usize, text: &str| json!({"type": "response.function_call_arguments.delta", "output_index": place, "delta": text});
    vec![
        json!({"type": "response.created", "response": {"id": "resp_1"}}),
        json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "thought"}),
        item("done", 0, &output[0]),
        json!({"type": "response.output_text.delta", "output_index": 1, "delta": "I "}),
        json!({"type": "response.output_text.delta", "output_index": 1, "delta": "look."}),
        item("done", 1, &output[1]),
        item("added", 2, &begun(2)),
        delta(2, "{\"command\":"),
        item("added", 3, &begun(3)),
        delta(3, "{bro"),
        delta(2, "  \"ls\"}"),
        item("done", 2, &output[2]),
        item("done", 3, &output[3]),
        json!({"type": "response.completed", "response": response()}),
    ]
}

#[tokio::test]
async fn a_reply_is_the_same_whole_in_pieces_and_all_at_the_end() {
    let only_end = vec![events().pop().unwrap()];
    let server = Server::start(vec![
        answer(200, "", &response()),
        sse(&events()),
        sse(&only_end),
    ])
    .await;
    let mut seen = Vec::new();
    for stream in [false, true, true] {
        let mut answer = ask(
            &Llm {
                stream,
                ..llm("openai/gpt-5", &server)
            },
            hello(),
        )
        .await
        .unwrap();
        answer.latency = std::time::Duration::ZERO;
        seen.push(answer);
    }
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0], seen[2]);
    let reply = &seen[0];
    let message = &reply.message;
    assert_eq!(
        (
            Content::join_text(&message.content).as_str(),
            message.reasoning_content.as_deref()
        ),
        ("I look.", Some("thought"))
    );
    let calls: Vec<_> = message
        .tool_calls
        .iter()
        .flatten()
        .map(|call| {
            (
                call.id.as_str(),
                call.responses_item_id.as_deref().unwrap(),
                call.arguments.as_str(),
                call.origin.as_str(),
            )
        })
        .collect();
    assert_eq!(
        calls,
        [
            ("call_1", "fc_1", "{\"command\":  \"ls\"}", "responses"),
            ("call_2", "fc_2", "{broken", "responses"),
        ]
    );
    let item = message.responses_reasoning_item.as_ref().unwrap();
    assert_eq!(
        (
            item.id.as_deref(),
            item.encrypted_content.as_deref(),
            item.summary.as_slice()
        ),
        (Some("rs_1"), Some("enc"), ["thought".to_owned()].as_slice())
    );
    assert_eq!(
        (reply.stop.clone(), reply.response_id.as_str()),
        (StopReason::ToolCalls, "resp_1")
    );
    assert_eq!(
        (
            reply.usage.prompt_tokens,
            reply.usage.cache_read_tokens,
            reply.usage.reasoning_tokens
        ),
        (40, 10, 4)
    );
    assert!(reply.usage.cost.unwrap() > 0.0);
}

#[tokio::test]
async fn a_reply_goes_back_as_it_came() {
    let server = Server::start(vec![answer(200, "", &response())]).await;
    let llm = llm("openai/gpt-5", &server);
    let first = ask(&llm, hello()).await.unwrap();
    let result = Message {
        role: Role::Tool,
        content: vec!["a b".into()],
        tool_call_id: Some("call_1".into()),
        ..Message::default()
    };
    let system = Message {
        role: Role::System,
        content: vec!["static".into(), "dynamic".into()],
        ..Message::default()
    };
    let request = ChatRequest {
        options: CallOptions {
            session: Some("conv".to_owned()),
            ..CallOptions::default()
        },
        ..ChatRequest::new([
            system,
            Message::text(Role::User, "hello"),
            first.message,
            result,
        ])
        .with_tools([terminal()])
    };
    ask(&llm, request).await.unwrap();
    let request = &server.requests()[1];
    assert_eq!(request.path, "/v1/responses");
    assert_eq!(
        request.body,
        json!({
            "store": false, "model": "gpt-5", "stream": false,
            "input": [
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]},
                {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "thought"}], "encrypted_content": "enc"},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
                {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "terminal", "arguments": "{\"command\":  \"ls\"}"},
                {"type": "function_call", "id": "fc_2", "call_id": "call_2", "name": "terminal", "arguments": "{broken"},
                {"type": "function_call_output", "call_id": "call_1", "output": "a b"},
            ],
            "instructions": "static\n\n---\n\ndynamic",
            "tools": [{"type": "function", "name": "terminal", "description": "Runs a command.", "strict": false,
                "parameters": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}}],
            "tool_choice": "auto",
            "include": ["reasoning.encrypted_content"],
            "reasoning": {"effort": "high"},
            "max_output_tokens": 16384,
            "prompt_cache_key": "conv",
            "prompt_cache_retention": "24h",
        })
    );
}

#[tokio::test]
async fn calls_of_another_api_get_ids_that_this_one_takes() {
    let server = Server::start(vec![answer(200, "", &response())]).await;
    ask(&llm("openai/gpt-5", &server), ChatRequest::new(history()))
        .await
        .unwrap();
    let body = &server.bodies()[0];
    let ids: Vec<_> = body["input"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|item| item["type"] == "function_call")
        .map(|item| item["id"].clone())
        .collect();
    assert_eq!(ids, ["fc_c1", "fc_c2"]);
}

#[tokio::test]
async fn a_reply_that_hit_its_limit_says_so() {
    let mut cut = response();
    cut["status"] = json!("incomplete");
    cut["incomplete_details"] = json!({"reason": "max_output_tokens"});
    let server = Server::start(vec![answer(200, "", &cut)]).await;
    assert_eq!(
        ask(&llm("openai/gpt-5", &server), hello())
            .await
            .unwrap()
            .stop,
        StopReason::MaxTokens
    );
}

//! OpenAI's chat completions.

use std::sync::Arc;

use futures_util::StreamExt;
use openhands_llm::{
    CallOptions, ChatModel, ChatRequest, GenaiModel, Http, StopReason, StreamPart,
};
use openhands_protocol::llm::{Llm, LlmApiMode};
use openhands_protocol::message::{Content, Message, Role};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::server::{Server, answer, ask, hello, history, llm, send, sse, terminal};

fn reply(message: &Value) -> Value {
    json!({
        "id": "chatcmpl-9", "object": "chat.completion", "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 50, "completion_tokens": 7,
            "prompt_tokens_details": {"cached_tokens": 30}, "completion_tokens_details": {"reasoning_tokens": 2}},
    })
}

fn plain() -> Value {
    reply(&json!({"role": "assistant", "content": " hi there\n"}))
}

fn chunk(delta: &Value, finish: Option<&str>) -> Value {
    json!({"id": "chatcmpl-9", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
}

#[tokio::test]
async fn a_plain_reply() {
    let server = Server::start(vec![answer(200, "", &plain())]).await;
    let answer = ask(&llm("openai/m", &server), hello()).await.unwrap();
    assert_eq!(
        Content::join_text(&answer.message.content),
        " hi there\n",
        "text stays as it is"
    );
    assert_eq!(
        (
            answer.message.role,
            answer.stop,
            answer.response_id.as_str()
        ),
        (Role::Assistant, StopReason::Completed, "chatcmpl-9")
    );
    let usage = answer.usage;
    assert_eq!(
        (
            usage.prompt_tokens,
            usage.completion_tokens,
            usage.cache_read_tokens,
            usage.reasoning_tokens
        ),
        (50, 7, 30, 2)
    );
    assert_eq!(usage.cost, None, "an unknown model has an unknown cost");
    let request = &server.requests()[0];
    assert_eq!(request.path, "/v1/chat/completions");
    assert_eq!(request.headers["authorization"], "Bearer sk-test");
    assert_eq!(
        request.body,
        json!({"model": "m", "stream": false, "messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}]})
    );
}

#[tokio::test]
async fn arguments_stay_as_the_model_wrote_them_even_if_they_are_not_json() {
    let calls = json!([
        {"id": "a", "type": "function", "function": {"name": "terminal", "arguments": "{\"command\":  \"ls\" }"}},
        {"id": "b", "type": "function", "function": {"name": "terminal", "arguments": "{\"command\": \"l"}},
    ]);
    let whole = reply(&json!({"role": "assistant", "content": null, "tool_calls": calls}));
    let piece = |index: usize, text: &str| {
        chunk(
            &json!({"tool_calls": [{"index": index, "function": {"arguments": text}}]}),
            None,
        )
    };
    let first = |index: usize, id: &str| {
        chunk(
            &json!({"tool_calls": [{"index": index, "id": id, "type": "function", "function": {"name": "terminal", "arguments": ""}}]}),
            None,
        )
    };
    let mut streamed = sse(&[
        first(0, "a"),
        first(1, "b"),
        piece(0, "{\"command\":"),
        piece(1, "{\"command\": "),
        piece(0, "  \"ls\" }"),
        piece(1, "\"l"),
        chunk(&json!({}), Some("tool_calls")),
    ]);
    streamed.push(send("data: [DONE]\n\n"));
    let server = Server::start(vec![answer(200, "", &whole), streamed]).await;
    for stream in [false, true] {
        let llm = Llm {
            stream,
            ..llm("openai/m", &server)
        };
        let answer = ask(&llm, hello().with_tools([terminal()])).await.unwrap();
        let calls = answer.message.tool_calls.unwrap();
        let seen: Vec<_> = calls
            .iter()
            .map(|call| {
                (
                    call.id.as_str(),
                    call.name.as_str(),
                    call.arguments.as_str(),
                )
            })
            .collect();
        assert_eq!(
            seen,
            [
                ("a", "terminal", "{\"command\":  \"ls\" }"),
                ("b", "terminal", "{\"command\": \"l")
            ],
            "stream: {stream}"
        );
    }
    let tools = json!([{"type": "function", "function": {
        "name": "terminal", "description": "Runs a command.",
        "parameters": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}}}]);
    assert_eq!(server.bodies()[0]["tools"], tools);
}

#[tokio::test]
async fn a_stream_is_passed_on_piece_by_piece() {
    let mut steps = sse(&[
        chunk(&json!({"role": "assistant", "content": ""}), None),
        chunk(&json!({"reasoning_content": "hm"}), None),
        chunk(&json!({"content": "one "}), None),
        chunk(&json!({"content": "two"}), None),
        chunk(&json!({}), Some("stop")),
        json!({"id": "chatcmpl-9", "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}),
    ]);
    steps.push(send("data: [DONE]\n\n"));
    let server = Server::start(vec![steps]).await;
    let model = GenaiModel::new(
        &Llm {
            stream: true,
            ..llm("openai/m", &server)
        },
        Http::new().unwrap(),
    )
    .unwrap();
    let mut parts = model
        .stream(hello(), CancellationToken::new())
        .await
        .unwrap();
    let mut seen = Vec::new();
    while let Some(part) = parts.next().await {
        seen.push(match part.unwrap() {
            StreamPart::Text(text) => format!("text {text}"),
            StreamPart::Reasoning(delta) => format!("{delta:?}"),
            StreamPart::Usage(usage) => {
                format!("usage {} {}", usage.prompt_tokens, usage.completion_tokens)
            }
            StreamPart::ResponseId(id) => format!("id {id}"),
            StreamPart::End(stop) => format!("{stop:?}"),
            other => panic!("{other:?}"),
        });
    }
    assert_eq!(
        seen,
        [
            "id chatcmpl-9",
            "Text(\"hm\")",
            "text one ",
            "text two",
            "usage 3 2",
            "Completed"
        ]
    );
    let body = &server.bodies()[0];
    assert_eq!(
        (&body["stream"], &body["stream_options"]),
        (&json!(true), &json!({"include_usage": true}))
    );
}

#[tokio::test]
async fn a_server_that_leaves_out_the_last_frame_is_understood() {
    let server = Server::start(vec![sse(&[chunk(
        &json!({"content": "all"}),
        Some("stop"),
    )])])
    .await;
    let answer = ask(
        &Llm {
            stream: true,
            ..llm("openai/m", &server)
        },
        hello(),
    )
    .await
    .unwrap();
    assert_eq!(Content::join_text(&answer.message.content), "all");
}

#[tokio::test]
async fn the_history_goes_out_in_full_and_unchanged() {
    let server = Server::start(vec![answer(200, "", &plain())]).await;
    ask(&llm("openai/m", &server), ChatRequest::new(history()))
        .await
        .unwrap();
    let text = |text: &str| json!({"type": "text", "text": text});
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "terminal", "arguments": arguments}});
    assert_eq!(
        server.bodies()[0]["messages"],
        json!([
            {"role": "system", "content": [text("static"), text("dynamic")]},
            {"role": "user", "content": [text("look"), text("around")]},
            {"role": "assistant", "content": [text("I look.")],
             "tool_calls": [call("c1", "{\"command\":   \"ls\"}"), call("c2", "{\"command\":   \"pwd\"}")]},
            {"role": "tool", "content": [text("a b")], "tool_call_id": "c1", "name": "terminal"},
            {"role": "tool", "content": [text("/tmp")], "tool_call_id": "c2", "name": "terminal"},
        ])
    );
}

#[tokio::test]
async fn the_beginning_of_a_request_is_the_same_from_turn_to_turn() {
    let server = Server::start(vec![answer(200, "", &plain())]).await;
    let llm = llm("openai/m", &server);
    let mut messages: Vec<_> = history().into_iter().map(Arc::new).collect();
    for turn in 0..3 {
        let request = ChatRequest {
            messages: messages.clone(),
            tools: [terminal()].into(),
            options: CallOptions::default(),
        };
        ask(&llm, request).await.unwrap();
        messages.push(Arc::new(Message::text(
            Role::Assistant,
            format!("ä {turn}"),
        )));
        messages.push(Arc::new(Message::text(Role::User, "next")));
    }
    let texts: Vec<_> = server
        .requests()
        .into_iter()
        .map(|request| request.text)
        .collect();
    for pair in texts.windows(2) {
        // The messages of the earlier request, up to the bracket that closes their list.
        let (start, _) = pair[0].split_once(r#"],"tools":"#).unwrap();
        assert!(pair[1].starts_with(start), "{}\n{}", pair[0], pair[1]);
        assert!(start.len() > 300);
    }
}

#[tokio::test]
async fn cache_marks_for_claude_behind_a_proxy() {
    let server = Server::start(vec![answer(200, "", &plain())]).await;
    let llm = llm("litellm_proxy/claude-opus-4-5", &server);
    ask(&llm, ChatRequest::new(history())).await.unwrap();
    let mut longer = history();
    longer.push(Message::text(Role::User, "more"));
    ask(&llm, ChatRequest::new(longer)).await.unwrap();
    let unmarked = ChatRequest {
        options: CallOptions {
            without_cache_marks: true,
            ..CallOptions::default()
        },
        ..ChatRequest::new(history())
    };
    ask(&llm, unmarked).await.unwrap();
    let mark = json!({"type": "ephemeral"});
    let bodies = server.bodies();
    let first = &bodies[0]["messages"];
    assert_eq!(
        first[0]["content"][0]["cache_control"], mark,
        "the static block"
    );
    assert_eq!(
        first[0]["content"][1].get("cache_control"),
        None,
        "never the dynamic one"
    );
    assert_eq!(
        first[4]["cache_control"], mark,
        "on the whole message of a tool"
    );
    assert_eq!(bodies[0].to_string().matches("cache_control").count(), 2);
    let second = &bodies[1]["messages"];
    assert_eq!(second[5]["content"][0]["cache_control"], mark);
    assert_eq!(bodies[1].to_string().matches("cache_control").count(), 2);
    assert_eq!(bodies[2].to_string().matches("cache_control").count(), 0);
}

#[tokio::test]
async fn images_are_sent_to_those_who_see_and_to_no_others() {
    let server = Server::start(vec![answer(200, "", &plain())]).await;
    let shown = Message {
        role: Role::Tool,
        content: vec![
            "a picture".into(),
            Content::image("data:image/png;base64,AA=="),
        ],
        tool_call_id: Some("c".into()),
        ..Message::default()
    };
    ask(
        &llm("openai/gpt-4o", &server),
        ChatRequest::new([shown.clone()]),
    )
    .await
    .unwrap();
    ask(&llm("openai/blind", &server), ChatRequest::new([shown]))
        .await
        .unwrap();
    let bodies = server.bodies();
    assert_eq!(
        bodies[0]["messages"][0]["content"][1],
        json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}})
    );
    assert_eq!(
        bodies[1]["messages"][0]["content"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn settings_and_session_go_out() {
    let server = Server::start(vec![answer(200, "", &plain())]).await;
    let mut custom = llm("openai/gpt-4.1", &server);
    custom.api_mode = LlmApiMode::Chat;
    custom.temperature = Some(0.5);
    custom.seed = Some(7);
    custom.input_cost_per_token = Some(0.01);
    custom.output_cost_per_token = Some(0.1);
    custom.litellm_extra_body = json!({"metadata": {"a": 1}})
        .as_object()
        .cloned()
        .unwrap()
        .into();
    let request = ChatRequest {
        options: CallOptions {
            session: Some("conv-1".to_owned()),
            ..CallOptions::default()
        },
        ..hello()
    };
    let priced = ask(&custom, request).await.unwrap();
    assert!((priced.usage.cost.unwrap() - 1.2).abs() < 1e-9);
    let request = &server.requests()[0];
    assert_eq!(request.headers["x-litellm-session-id"], "conv-1");
    let mut body = request.body.clone();
    body.as_object_mut().unwrap().remove("messages");
    assert_eq!(
        body,
        json!({
            "model": "gpt-4.1", "stream": false, "max_completion_tokens": 16384, "temperature": 0.5, "seed": 7,
            "prompt_cache_key": "conv-1", "prompt_cache_retention": "24h", "metadata": {"a": 1},
        })
    );
}

#[tokio::test]
async fn names_reach_the_server_whole() {
    let server = Server::start(vec![answer(200, "", &plain())]).await;
    for (name, sent) in [
        ("openai/odd-high", "odd-high"),
        ("openai/space::name", "space::name"),
        (
            "litellm_proxy/anthropic/claude-3-5-sonnet",
            "anthropic/claude-3-5-sonnet",
        ),
        ("Qwen/Qwen3-max", "Qwen/Qwen3-max"),
    ] {
        ask(&llm(name, &server), hello()).await.unwrap();
        assert_eq!(server.bodies().last().unwrap()["model"], sent);
    }
}

#[tokio::test]
async fn calls_as_text_for_models_without_native_ones() {
    let text = "I look.\n<function=terminal>\n<parameter=command>ls</parameter>\n";
    let server = Server::start(vec![answer(
        200,
        "",
        &reply(&json!({"role": "assistant", "content": text})),
    )])
    .await;
    let llm = Llm {
        native_tool_calling: false,
        ..llm("openai/m", &server)
    };
    let answer = ask(&llm, ChatRequest::new(history()).with_tools([terminal()]))
        .await
        .unwrap();
    let call = &answer.message.tool_calls.unwrap()[0];
    assert_eq!(
        (call.id.as_str(), call.arguments.as_str()),
        ("toolu_03", r#"{"command": "ls"}"#)
    );
    let body = &server.bodies()[0];
    assert_eq!(
        (body.get("tools"), &body["stop"]),
        (None, &json!(["</function"]))
    );
    assert!(
        body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .all(|message| message.get("tool_calls").is_none() && message["role"] != "tool")
    );
}

#[tokio::test]
async fn what_a_proxy_says_in_its_headers_is_the_cost() {
    let mut streamed = sse(&[chunk(&json!({"content": "hi"}), Some("stop")), plain()]);
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-litellm-response-cost: 0.25\r\nconnection: close\r\n\r\n";
    streamed[0] = send(head);
    let whole = answer(200, "x-litellm-response-cost: 0.25\r\n", &plain());
    let nothing = answer(200, "x-litellm-response-cost: None\r\n", &plain());
    let server = Server::start(vec![whole, streamed, nothing]).await;
    for (stream, cost) in [(false, Some(0.25)), (true, Some(0.25)), (false, None)] {
        let llm = Llm {
            stream,
            ..llm("litellm_proxy/ours", &server)
        };
        assert_eq!(ask(&llm, hello()).await.unwrap().usage.cost, cost);
    }
}

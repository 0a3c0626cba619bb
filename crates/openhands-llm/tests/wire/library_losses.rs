//! Why three protocols are written and read here and not by the client library.
//!
//! Each test runs the library itself, with an explicit adapter and endpoint, against a recorded exchange and shows
//! what does not come through, next to what does with the wire of this crate. A test that fails with a newer
//! library is good news: that reason for a wire of our own is gone.

use genai::adapter::AdapterKind;
use genai::chat::{
    Binary, CacheControl, ChatMessage, ChatOptions, ChatRequest as LibraryRequest, ChatResponse,
    ContentPart, MessageContent, ToolCall, ToolResponse,
};
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, ModelIden, ServiceTarget};
use openhands_llm::ChatRequest;
use openhands_protocol::message::{
    Content, ImageContent, Message, MessageToolCall, ReasoningItem, Role,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::server::{Server, answer, ask, hello, llm};

/// Not JSON: a bracket is missing. The agent repairs it, if it gets to see it.
const BROKEN: &str = r#"{"command": "ls""#;

fn service(adapter: AdapterKind, model: &str, server: &Server) -> ServiceTarget {
    ServiceTarget {
        endpoint: Endpoint::from_owned(format!("{}/", server.url)),
        auth: AuthData::from_single("sk-test"),
        model: ModelIden::new(adapter, model),
    }
}

fn client() -> Client {
    Client::builder().build().unwrap()
}

fn options() -> ChatOptions {
    ChatOptions::default()
        .with_capture_content(true)
        .with_capture_tool_calls(true)
        .with_capture_reasoning_content(true)
        .with_capture_usage(true)
}

async fn exec(
    adapter: AdapterKind,
    model: &str,
    server: &Server,
    question: LibraryRequest,
) -> Result<ChatResponse, genai::Error> {
    client()
        .exec_chat(service(adapter, model, server), question, Some(&options()))
        .await
}

fn question() -> LibraryRequest {
    LibraryRequest::new(vec![ChatMessage::user("hello")])
}

fn image() -> Content {
    Content::Image(ImageContent {
        image_urls: vec!["data:image/png;base64,AAAA".to_owned()],
        ..ImageContent::default()
    })
}

/// A call and the picture that the tool answered with.
fn call_and_picture(arguments: &str) -> Vec<Message> {
    let call = MessageToolCall {
        id: "call_1".into(),
        name: "browser".to_owned(),
        arguments: arguments.to_owned(),
        responses_item_id: Some("fc_68af".to_owned()),
        ..MessageToolCall::default()
    };
    vec![
        Message::text(Role::User, "Look at the page."),
        Message {
            role: Role::Assistant,
            tool_calls: Some(vec![call]),
            responses_reasoning_item: Some(ReasoningItem {
                id: Some("rs_68ae".to_owned()),
                summary: vec!["A page.".to_owned()],
                encrypted_content: Some("gAAAA".to_owned()),
                ..ReasoningItem::default()
            }),
            ..Message::default()
        },
        Message {
            role: Role::Tool,
            content: vec!["The page:".into(), image()],
            tool_call_id: Some("call_1".into()),
            name: Some("browser".to_owned()),
            ..Message::default()
        },
    ]
}

/// The same in the library's types, as far as they can say it: a result is text.
fn call_and_text(arguments: &str) -> Vec<ChatMessage> {
    let call = ToolCall {
        call_id: "call_1".to_owned(),
        fn_name: "browser".to_owned(),
        fn_arguments: serde_json::from_str(arguments).unwrap(),
        thought_signatures: Some(vec!["gAAAA".to_owned()]),
    };
    vec![
        ChatMessage::user("Look at the page."),
        ChatMessage::assistant(MessageContent::from_parts(vec![ContentPart::ToolCall(
            call,
        )])),
        ChatMessage::from(ToolResponse::new("call_1", "The page:")),
    ]
}

fn chat_reply(arguments: &str) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "model": "gpt-4o",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": null,
            "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "terminal", "arguments": arguments}}]}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    })
}

fn responses_reply(arguments: &str) -> Value {
    json!({
        "id": "resp_1", "object": "response", "model": "gpt-5", "status": "completed",
        "output": [
            {"type": "reasoning", "id": "rs_68ae", "summary": [], "encrypted_content": "gAAAA"},
            {"type": "function_call", "id": "fc_68af", "call_id": "call_1", "name": "terminal", "arguments": arguments, "status": "completed"},
        ],
        "usage": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15},
    })
}

fn messages_reply() -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
        "content": [{"type": "text", "text": "Fine."}], "stop_reason": "end_turn",
        "usage": {"input_tokens": 10, "output_tokens": 5},
    })
}

fn arguments(message: &Message) -> Vec<&str> {
    let calls = message.tool_calls.iter().flatten();
    calls.map(|call| call.arguments.as_str()).collect()
}

#[tokio::test]
async fn chat_a_call_that_is_not_json_costs_the_whole_reply() {
    let server = Server::start(vec![answer(200, "", &chat_reply(BROKEN))]).await;
    let lost = exec(AdapterKind::OpenAI, "gpt-4o", &server, question()).await;
    assert!(lost.is_err(), "{lost:?}");
    let ours = ask(&llm("openai/gpt-4o", &server), hello()).await.unwrap();
    assert_eq!(arguments(&ours.message), [BROKEN]);
}

#[tokio::test]
async fn chat_the_text_of_arguments_is_not_what_the_model_wrote() {
    let spaced = r#"{"b":  1.0, "a": "x"}"#;
    let server = Server::start(vec![answer(200, "", &chat_reply(spaced))]).await;
    let reply = exec(AdapterKind::OpenAI, "gpt-4o", &server, question())
        .await
        .unwrap();
    let history = vec![
        ChatMessage::user("hello"),
        ChatMessage::assistant(reply.content),
    ];
    exec(
        AdapterKind::OpenAI,
        "gpt-4o",
        &server,
        LibraryRequest::new(history),
    )
    .await
    .unwrap();
    let sent = &server.bodies()[1]["messages"][1]["tool_calls"][0]["function"]["arguments"];
    assert_ne!(sent, spaced);

    let llm = llm("openai/gpt-4o", &server);
    let ours = ask(&llm, hello()).await.unwrap();
    let history = [Message::text(Role::User, "hello"), ours.message];
    ask(&llm, ChatRequest::new(history)).await.unwrap();
    let sent = &server.bodies()[3]["messages"][1]["tool_calls"][0]["function"]["arguments"];
    assert_eq!(sent, spaced);
}

#[tokio::test]
async fn chat_marks_for_claude_behind_a_proxy_and_pictures_of_tools_are_not_sent() {
    let server = Server::start(vec![answer(200, "", &chat_reply("{}"))]).await;
    let mut messages = call_and_text("{}");
    let marked = messages.pop().unwrap();
    messages.push(marked.with_options(CacheControl::Ephemeral));
    exec(
        AdapterKind::OpenAI,
        "claude-sonnet-4-5",
        &server,
        LibraryRequest::new(messages),
    )
    .await
    .unwrap();
    let lost = server.requests()[0].text.clone();
    assert!(
        !lost.contains("cache_control") && !lost.contains("image_url"),
        "{lost}"
    );

    let llm = llm("litellm_proxy/claude-sonnet-4-5", &server);
    ask(&llm, ChatRequest::new(call_and_picture("{}")))
        .await
        .unwrap();
    let sent = &server.bodies()[1]["messages"][2];
    assert_eq!(sent["cache_control"], json!({"type": "ephemeral"}));
    assert_eq!(
        sent["content"][1]["image_url"]["url"],
        "data:image/png;base64,AAAA"
    );
}

#[tokio::test]
async fn chat_what_a_proxy_says_of_the_cost_is_not_told() {
    let header = "x-litellm-response-cost: 0.25\r\n";
    let server = Server::start(vec![answer(200, header, &chat_reply("{}"))]).await;
    let lost = exec(AdapterKind::OpenAI, "gpt-4o", &server, question())
        .await
        .unwrap();
    assert!(!format!("{lost:?}").contains("0.25"));
    let ours = ask(&llm("litellm_proxy/gpt-4o", &server), hello()).await;
    assert_eq!(ours.unwrap().usage.cost, Some(0.25));
}

#[tokio::test]
async fn responses_a_call_that_is_not_json_costs_the_whole_reply() {
    let server = Server::start(vec![answer(200, "", &responses_reply(BROKEN))]).await;
    let lost = exec(AdapterKind::OpenAIResp, "gpt-5", &server, question()).await;
    assert!(lost.is_err(), "{lost:?}");
    let ours = ask(&llm("openai/gpt-5", &server), hello()).await.unwrap();
    assert_eq!(arguments(&ours.message), [BROKEN]);
}

#[tokio::test]
async fn responses_items_go_back_without_their_ids_and_tools_show_nothing() {
    let server = Server::start(vec![answer(200, "", &responses_reply("{}"))]).await;
    let messages = LibraryRequest::new(call_and_text("{}"));
    exec(AdapterKind::OpenAIResp, "gpt-5", &server, messages)
        .await
        .unwrap();
    let llm = llm("openai/gpt-5", &server);
    ask(&llm, ChatRequest::new(call_and_picture("{}")))
        .await
        .unwrap();
    let shape = |body: &Value| -> Vec<Value> {
        let items = body["input"].as_array().unwrap();
        items
            .iter()
            .map(|item| {
                json!([
                    item["type"],
                    item["id"],
                    item["summary"],
                    item["output"][1]["image_url"]
                ])
            })
            .collect()
    };
    let bodies = server.bodies();
    assert_eq!(
        shape(&bodies[0])[1..],
        [
            json!(["reasoning", null, [], null]),
            json!(["function_call", null, null, null]),
            json!(["function_call_output", null, null, null]),
        ]
    );
    let summary = json!([{"type": "summary_text", "text": "A page."}]);
    assert_eq!(
        shape(&bodies[1])[1..],
        [
            json!(["reasoning", "rs_68ae", summary, null]),
            json!(["function_call", "fc_68af", null, null]),
            json!([
                "function_call_output",
                null,
                null,
                "data:image/png;base64,AAAA"
            ]),
        ]
    );
}

#[tokio::test]
async fn messages_pictures_of_tools_and_pictures_by_address_are_not_sent() {
    let server = Server::start(vec![answer(200, "", &messages_reply())]).await;
    let mut messages = call_and_text("{}");
    messages.push(ChatMessage::user(MessageContent::from_parts(vec![
        ContentPart::from_text("And this?"),
        ContentPart::Binary(Binary::from_url(
            "image/png",
            "https://example.com/a.png",
            None,
        )),
    ])));
    exec(
        AdapterKind::Anthropic,
        "claude-sonnet-4-5",
        &server,
        LibraryRequest::new(messages),
    )
    .await
    .unwrap();
    let lost = server.requests()[0].text.clone();
    assert!(!lost.contains("\"image\""), "{lost}");

    let mut messages = call_and_picture("{}");
    messages.push(Message {
        content: vec![
            "And this?".into(),
            Content::Image(ImageContent {
                image_urls: vec!["https://example.com/a.png".to_owned()],
                ..ImageContent::default()
            }),
        ],
        ..Message::text(Role::User, "")
    });
    ask(
        &llm("anthropic/claude-sonnet-4-5", &server),
        ChatRequest::new(messages),
    )
    .await
    .unwrap();
    let turn = &server.bodies()[1]["messages"][2]["content"];
    assert_eq!(turn[0]["content"][1]["source"]["type"], "base64");
    assert_eq!(turn[2]["source"]["url"], "https://example.com/a.png");
}

#[tokio::test]
async fn messages_a_whole_reply_has_no_id() {
    let server = Server::start(vec![answer(200, "", &messages_reply())]).await;
    let lost = exec(
        AdapterKind::Anthropic,
        "claude-sonnet-4-5",
        &server,
        question(),
    )
    .await
    .unwrap();
    assert_eq!(lost.response_id, None);
    let ours = ask(&llm("anthropic/claude-sonnet-4-5", &server), hello()).await;
    assert_eq!(ours.unwrap().response_id.as_str(), "msg_1");
}

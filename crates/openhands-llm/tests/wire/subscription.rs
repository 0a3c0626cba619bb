//! A plan that a user has signed in to.

use openhands_llm::{CallOptions, ChatRequest, LlmErrorKind};
use openhands_protocol::llm::{Llm, LlmAuthType};
use openhands_protocol::message::{Message, ReasoningItem, Role};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::server::{Server, ask, history, llm, sse, terminal};

#[tokio::test]
async fn a_plan_takes_less_than_the_api_and_always_streams() {
    let end = json!({"type": "response.completed", "response": {"id": "resp_1", "status": "completed", "output": [
        {"type": "message", "content": [{"type": "output_text", "text": "fine"}]}], "usage": {"input_tokens": 1}}});
    let server = Server::start(vec![sse(&[end])]).await;
    let llm = Llm {
        auth_type: LlmAuthType::Subscription,
        subscription_vendor: Some("openai".to_owned()),
        temperature: Some(0.5),
        max_output_tokens: Some(1000),
        extra_headers: Some([("chatgpt-account-id".to_owned(), "acc".to_owned())].into()),
        ..llm("openai/gpt-5.2-codex", &server)
    };
    let mut messages = history();
    messages.insert(
        2,
        Message {
            responses_reasoning_item: Some(ReasoningItem {
                id: Some("rs_1".to_owned()),
                ..ReasoningItem::default()
            }),
            ..Message::text(Role::Assistant, "Hm.")
        },
    );
    let request = ChatRequest {
        options: CallOptions {
            session: Some("conv".to_owned()),
            stream: Some(false),
            ..CallOptions::default()
        },
        ..ChatRequest::new(messages).with_tools([terminal()])
    };
    let reply = ask(&llm, request).await.unwrap();
    assert_eq!(reply.message.content, ["fine".into()]);
    let request = &server.requests()[0];
    assert_eq!(request.path, "/v1/responses");
    for (name, value) in [
        ("authorization", "Bearer sk-test"),
        ("chatgpt-account-id", "acc"),
        ("originator", "codex_cli_rs"),
        ("openai-beta", "responses=experimental"),
    ] {
        assert_eq!(request.headers[name], value);
    }
    let mut body = request.body.clone();
    let body = body.as_object_mut().unwrap();
    body.remove("tools");
    let instructions = body.remove("instructions").unwrap();
    assert!(instructions.as_str().unwrap().len() < 200);
    let input = body.remove("input").unwrap();
    assert_eq!(
        serde_json::Value::Object(body.clone()),
        json!({"model": "gpt-5.2-codex", "tool_choice": "auto", "store": false, "prompt_cache_key": "conv", "stream": true})
    );
    let input = input.as_array().unwrap();
    assert_eq!(
        input[0],
        json!({"role": "user", "content": [{"type": "input_text",
            "text": "Context (system prompt):\nstatic\n\n---\n\ndynamic\n\n"}]})
    );
    assert_eq!(input[1]["role"], "user");
    assert!(
        input
            .iter()
            .all(|item| item["type"] != "reasoning" && item["type"] != "message")
    );
}

#[tokio::test]
async fn nobody_has_signed_in() {
    let server = Server::start(vec![sse(&[])]).await;
    let llm = Llm {
        auth_type: LlmAuthType::Subscription,
        api_key: None,
        ..llm("openai/gpt-5.2-codex", &server)
    };
    let error = openhands_llm::connect(&llm, &openhands_llm::Http::new().unwrap())
        .err()
        .unwrap();
    assert_eq!(error.kind, LlmErrorKind::Authentication);
    assert_eq!(error.message, "OpenAI subscription login is required");
}

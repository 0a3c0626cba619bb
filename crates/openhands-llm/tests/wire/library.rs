//! Protocols that the client library translates, at the example of Gemini.

use openhands_llm::{ChatRequest, StopReason};
use openhands_protocol::llm::Llm;
use openhands_protocol::message::{Content, ImageContent};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::server::{Server, answer, ask, history, llm, sse, terminal};

fn reply() -> Value {
    json!({
        "candidates": [{"content": {"role": "model", "parts": [
            {"text": "I look."},
            {"functionCall": {"name": "terminal", "args": {"command": "ls"}}, "thoughtSignature": "sig"},
        ]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 20, "candidatesTokenCount": 5, "totalTokenCount": 25},
        "modelVersion": "gemini-2.5-pro",
    })
}

#[tokio::test]
async fn gemini_answers_whole_and_in_pieces() {
    let server = Server::start(vec![answer(200, "", &reply()), sse(&[reply()])]).await;
    for stream in [false, true] {
        let llm = Llm {
            stream,
            ..llm("gemini/gemini-2.5-pro", &server)
        };
        let answer = ask(&llm, ChatRequest::new(history()).with_tools([terminal()]))
            .await
            .unwrap();
        assert_eq!(
            Content::join_text(&answer.message.content),
            "I look.",
            "stream: {stream}"
        );
        let calls = answer.message.tool_calls.unwrap();
        assert_eq!(
            (
                calls.len(),
                calls[0].name.as_str(),
                calls[0].arguments.as_str()
            ),
            (1, "terminal", "{\"command\": \"ls\"}")
        );
        assert_eq!(answer.stop, StopReason::ToolCalls);
        assert_eq!(
            (answer.usage.prompt_tokens, answer.usage.completion_tokens),
            (20, 5)
        );
        assert!(answer.usage.cost.unwrap() > 0.0);
    }
    let requests = server.requests();
    assert_eq!(
        requests[0].path.split('?').next(),
        Some("/v1/models/gemini-2.5-pro:generateContent")
    );
    let contents = requests[0].body["contents"].as_array().unwrap().clone();
    let results: Vec<_> = contents
        .iter()
        .flat_map(|content| content["parts"].as_array().unwrap().clone())
        .filter_map(|part| part.get("functionResponse").cloned())
        .map(|response| response["name"].clone())
        .collect();
    assert_eq!(results, ["terminal", "terminal"]);
}

#[tokio::test]
async fn bedrock_is_let_in_by_credentials_of_aws() {
    let reply = json!({
        "output": {"message": {"role": "assistant", "content": [{"text": "I look."},
            {"toolUse": {"toolUseId": "tooluse_1", "name": "terminal", "input": {"command": "ls"}}}]}},
        "stopReason": "tool_use",
        "usage": {"inputTokens": 20, "outputTokens": 5, "totalTokens": 25},
    });
    let server = Server::start(vec![answer(200, "", &reply)]).await;
    let llm = Llm {
        api_key: None,
        aws_access_key_id: Some("AKIDEXAMPLE".into()),
        aws_secret_access_key: Some("secret".into()),
        aws_region_name: Some("eu-west-1".to_owned()),
        aws_bedrock_runtime_endpoint: Some(server.url.clone()),
        base_url: None,
        max_input_tokens: Some(20_000),
        max_output_tokens: Some(19_900),
        ..llm(
            "bedrock/converse/us.anthropic.claude-opus-4-5-20251101-v1:0",
            &server,
        )
    };
    let answer = ask(&llm, ChatRequest::new(history()).with_tools([terminal()]))
        .await
        .unwrap();
    assert_eq!(Content::join_text(&answer.message.content), "I look.");
    let calls = answer.message.tool_calls.unwrap();
    assert_eq!(calls[0].id.as_str(), "tooluse_1");
    assert_eq!(
        (answer.usage.prompt_tokens, answer.stop),
        (20, StopReason::ToolCalls)
    );
    let request = &server.requests()[0];
    assert_eq!(
        request.path,
        "/v1/model/us.anthropic.claude-opus-4-5-20251101-v1%3A0/converse"
    );
    assert!(request.headers["authorization"].starts_with("Bearer bedrock-api-key-"));
    // Request and answer share the window.
    let limit = request.body["inferenceConfig"]["maxTokens"]
        .as_u64()
        .unwrap();
    assert!((1024..20_000 - 256).contains(&limit), "{limit}");
}

#[tokio::test]
async fn vertex_is_asked_below_the_project() {
    let server = Server::start(vec![answer(200, "", &reply())]).await;
    let llm = llm("vertex_ai/gemini-2.5-pro", &server);
    let answer = ask(&llm, ChatRequest::new(history())).await.unwrap();
    assert_eq!(Content::join_text(&answer.message.content), "I look.");
    let request = &server.requests()[0];
    assert_eq!(
        request.path,
        "/v1/publishers/google/models/gemini-2.5-pro:generateContent"
    );
    assert_eq!(request.headers["authorization"], "Bearer sk-test");
}

#[tokio::test]
async fn what_tools_show_follows_their_results() {
    let server = Server::start(vec![answer(200, "", &reply())]).await;
    let mut messages = history();
    messages[3].content.push(Content::Image(ImageContent {
        image_urls: vec!["data:image/png;base64,AAAA".to_owned()],
        ..ImageContent::default()
    }));
    ask(
        &llm("gemini/gemini-2.5-pro", &server),
        ChatRequest::new(messages),
    )
    .await
    .unwrap();
    let body = &server.bodies()[0];
    let turns = body["contents"].as_array().unwrap();
    let results = &turns[turns.len() - 2]["parts"];
    assert_eq!(results.as_array().unwrap().len(), 2);
    assert!(results[1]["functionResponse"].is_object());
    let shown = &turns[turns.len() - 1]["parts"][1]["inline_data"];
    assert_eq!(shown, &json!({"mime_type": "image/png", "data": "AAAA"}));
}

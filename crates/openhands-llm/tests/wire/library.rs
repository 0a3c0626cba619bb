//! Protocols that the client library translates, at the example of Gemini.

use openhands_llm::{ChatRequest, StopReason};
use openhands_protocol::llm::Llm;
use openhands_protocol::message::Content;
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

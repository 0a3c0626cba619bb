//! Images that are fetched for models which take no addresses.

use openhands_llm::{ChatRequest, Connector, Http};
use openhands_protocol::llm::Llm;
use openhands_protocol::message::{Content, ImageContent, Message, Role};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::server::{Server, Step, answer, llm, raw};

fn picture() -> Vec<Step> {
    raw(200, "content-type: image/png; charset=binary\r\n", "PNG")
}

fn showing(url: &str) -> ChatRequest {
    ChatRequest::new([Message {
        content: vec![Content::Image(ImageContent {
            image_urls: vec![url.to_owned()],
            ..ImageContent::default()
        })],
        ..Message::text(Role::User, "")
    }])
}

/// What was sent in place of an image, for a model that takes no addresses.
async fn sent(http: Http, request: &ChatRequest, times: usize) -> Vec<Value> {
    let reply = json!({"choices": [{"finish_reason": "stop", "message": {"content": "fine"}}]});
    let server = Server::start(vec![answer(200, "", &reply)]).await;
    let llm = Llm {
        inline_image_urls: Some(true),
        ..llm("openai/gpt-4o", &server)
    };
    let model = Connector::new(http).connect(&llm).unwrap();
    for _ in 0..times {
        let asked = model.complete(request.clone(), CancellationToken::new());
        asked.await.unwrap();
    }
    server
        .bodies()
        .iter()
        .map(|body| body["messages"][0]["content"][0]["image_url"]["url"].clone())
        .collect()
}

fn private() -> Http {
    Http::new().unwrap().with_private_images()
}

#[tokio::test]
async fn an_image_is_fetched_once_also_where_it_has_moved_to() {
    let moved = raw(302, "location: /v1/there.png\r\n", "");
    let host = Server::start(vec![moved, picture()]).await;
    let request = showing(&format!("{}/a.png", host.url));
    let sent = sent(private(), &request, 2).await;
    assert_eq!(sent, vec![json!("data:image/png;base64,UE5H"); 2]);
    let asked: Vec<_> = host.requests().iter().map(|r| r.path.clone()).collect();
    assert_eq!(asked, ["/v1/a.png", "/v1/there.png"]);
}

#[tokio::test]
async fn what_is_no_image_stays_an_address() {
    let host = Server::start(vec![raw(200, "content-type: text/html\r\n", "<p>no</p>")]).await;
    let url = format!("{}/a.png", host.url);
    assert_eq!(sent(private(), &showing(&url), 1).await, [json!(url)]);
}

#[tokio::test]
async fn nothing_is_fetched_from_a_private_machine() {
    let host = Server::start(vec![picture()]).await;
    let url = format!("{}/a.png", host.url);
    let sent = sent(Http::new().unwrap(), &showing(&url), 1).await;
    assert_eq!(sent, [json!(url)]);
    assert!(host.requests().is_empty());
}

use super::*;
use crate::view::View;
use crate::view::events_for_tests::{agent, system, user};
use openhands_protocol::JsonObject;
use openhands_protocol::ToolSpec;
use parking_lot::Mutex;
use pretty_assertions::assert_eq;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

/// A server that gives these answers in turn and keeps what it was asked.
struct Server {
    url: String,
    requests: Arc<Mutex<Vec<(String, Value)>>>,
    _task: AbortOnDropHandle<()>,
}

impl Server {
    async fn start(answers: Vec<(u16, Value)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        let task = tokio::spawn(async move {
            for (status, answer) in answers {
                let (stream, _) = listener.accept().await.unwrap();
                let mut stream = BufReader::new(stream);
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") {
                    stream.read_line(&mut head).await.unwrap();
                }
                let length = head.to_lowercase();
                let (_, length) = length.split_once("content-length: ").unwrap();
                let length = length.lines().next().unwrap().parse().unwrap();
                let mut body = vec![0; length];
                stream.read_exact(&mut body).await.unwrap();
                kept.lock()
                    .push((head, serde_json::from_slice(&body).unwrap()));
                let answer = answer.to_string();
                let reply = format!(
                    "HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{answer}",
                    answer.len()
                );
                stream.write_all(reply.as_bytes()).await.unwrap();
            }
        });
        Self {
            url,
            requests,
            _task: AbortOnDropHandle::new(task),
        }
    }
}

fn critic(url: &str) -> ApiBasedCritic {
    serde_json::from_value(json!({
        "kind": "APIBasedCritic", "api_key": "sk-1", "server_url": url,
        "sentiment_labels": ["sentiment_positive"], "agent_issue_labels": ["loop_behavior"],
        "infra_labels": [], "user_followup_labels": ["correction"],
    }))
    .unwrap()
}

fn tool() -> ToolSpec {
    ToolSpec {
        name: "look".to_owned(),
        description: "Looks.".to_owned(),
        input_schema: JsonObject::new(),
        annotations: None,
        title: "look".to_owned(),
        kind: "LookTool".to_owned(),
        action_type: "LookAction".to_owned(),
        observation_type: None,
    }
}

async fn judge(critic: &ApiBasedCritic, view: &View) -> Result<CriticResult, RemoteCriticError> {
    let tools = [tool()];
    let evidence = Evidence {
        view,
        last_action: None,
        tools: &tools,
        git_patch: None,
    };
    let web = reqwest::Client::new();
    evaluate(critic, evidence, &web, CancellationToken::new()).await
}

fn view() -> View {
    View::of(&[system("s"), user("u", "go"), agent("m", "done")])
}

#[tokio::test]
async fn the_first_number_is_the_score() {
    let answer = json!({"data": [{"probs": [0.25, 0.5, 0.9, 0.1], "num_classes": 4}]});
    let server = Server::start(vec![(200, answer)]).await;
    let result = judge(&critic(&server.url), &view()).await.unwrap();
    assert!((result.score - 0.25).abs() < f64::EPSILON);
    let labels =
        r#"{"loop_behavior": 0.9, "sentiment_positive": 0.5, "success": 0.25, "correction": 0.1}"#;
    assert_eq!(result.message.unwrap(), format!("Success: 0.25; {labels}"));
    let metadata = result.metadata.unwrap();
    assert_eq!(metadata["event_ids"], json!(["s", "u", "m"]));
    let issues = &metadata["categorized_features"]["agent_behavioral_issues"];
    assert_eq!(issues[0]["name"], "loop_behavior");

    let requests = server.requests.lock();
    let (head, body) = &requests[0];
    assert!(head.starts_with("POST /classify HTTP/1.1\r\n"));
    assert!(
        head.to_lowercase()
            .contains("authorization: bearer sk-1\r\n")
    );
    assert_eq!(body["model"], "critic");
    let input = body["input"].as_str().unwrap();
    assert!(input.starts_with("<|im_start|>system\nYou are an agent.\n\n# Tools"));
    assert!(input.ends_with("<|im_start|>assistant\ndone<|im_end|>\n"));
}

#[tokio::test]
async fn a_critic_that_fails_by_itself_is_asked_three_times() {
    let failed = || (500, json!({}));
    let good = (200, json!({"data": [{"probs": [1.0, 0.0, 0.0, 0.0]}]}));
    let web = reqwest::Client::new();
    let server = Server::start(vec![failed(), failed(), good]).await;
    let asked = critic(&server.url);
    let answer = ask(&asked, &json!({}), &web, Duration::ZERO).await.unwrap();
    assert_eq!(
        labelled(&asked, answer).unwrap()[0],
        ("success".to_owned(), 1.0)
    );

    let server = Server::start(vec![failed(), failed(), failed()]).await;
    let gave_up = ask(&critic(&server.url), &json!({}), &web, Duration::ZERO).await;
    assert!(matches!(gave_up, Err(RemoteCriticError::Status(500))));
    assert_eq!(server.requests.lock().len(), 3);

    let server = Server::start(vec![(401, json!({}))]).await;
    let refused = ask(&critic(&server.url), &json!({}), &web, Duration::ZERO).await;
    assert!(matches!(refused, Err(RemoteCriticError::Status(401))));
}

#[tokio::test]
async fn what_cannot_be_judged_is_an_error() {
    let wrong = (200, json!({"data": [{"probs": [1.0]}]}));
    let server = Server::start(vec![wrong]).await;
    let unfit = judge(&critic(&server.url), &view()).await;
    assert!(
        matches!(unfit, Err(RemoteCriticError::Answer(why)) if why == "1 numbers for 4 labels")
    );

    let mut other = critic("http://127.0.0.1:1");
    assert!(matches!(
        judge(&other, &view()).await,
        Err(RemoteCriticError::Unreachable(_))
    ));
    let blank = judge(&other, &View::of(&[user("u", "go")])).await;
    assert!(matches!(blank, Err(RemoteCriticError::NoTools)));
    other.tokenizer_name = "gpt2".to_owned();
    let unknown = judge(&other, &view()).await;
    assert!(matches!(unknown, Err(RemoteCriticError::UnknownFormat(name)) if name == "gpt2"));
}

#[tokio::test]
async fn cancelling_ends_the_wait() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let cancel = CancellationToken::new();
    let (critic, view, tools) = (critic(&url), view(), [tool()]);
    let evidence = Evidence {
        view: &view,
        last_action: None,
        tools: &tools,
        git_patch: None,
    };
    let web = reqwest::Client::new();
    let waiting = evaluate(&critic, evidence, &web, cancel.clone());
    let cancelling = async {
        // The request has arrived; no answer will.
        let held = listener.accept().await.unwrap();
        cancel.cancel();
        held
    };
    let (result, _held) = tokio::join!(waiting, cancelling);
    assert!(matches!(result, Err(RemoteCriticError::Cancelled)));
}

//! An agent of a 0.x backend with a real browser: it fills in a form and reports what the page said.
//!
//! The backend's loop is played here: ask the model, post what it calls for as an action, give it the observation. The
//! model is scripted, but knows the page only from the observations.

use axum::extract::{Query, State};
use axum::response::Html;
use axum::routing::get;
use axum::{Json, Router};
use pretty_assertions::assert_eq;
use regex::Regex;
use serde_json::{Value, json};
use std::collections::HashMap;
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

use crate::browse::server;
use crate::server::Server;

/// After so many calls an agent has lost its way.
const MAX_STEPS: usize = 10;

const FORM: &str = r#"<!doctype html><title>Guests</title><form action="/greet"><input name=name aria-label="Your name">
    <select name=meal aria-label=Meal><option>Soup</option><option>Salad</option></select><button>Send</button></form>"#;

/// Serves something on a free port until it is dropped.
async fn serve(router: Router) -> (String, AbortOnDropHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (url, AbortOnDropHandle::new(task))
}

async fn greet(Query(given): Query<HashMap<String, String>>) -> Html<String> {
    Html(format!(
        "<title>Welcome</title><h1>Welcome, {}!</h1><p>Your {} is on its way.</p>",
        given["name"], given["meal"]
    ))
}

/// What a pattern finds in the last observation.
fn found(seen: &str, pattern: &str) -> String {
    let pattern = Regex::new(pattern).unwrap();
    let found = pattern.captures(seen);
    found.unwrap_or_else(|| panic!("no {pattern} in {seen}"))[1].to_owned()
}

/// The scripted model.
async fn think(State(site): State<String>, Json(request): Json<Value>) -> Json<Value> {
    let messages = request["messages"].as_array().unwrap();
    let seen: Vec<&str> = messages
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].as_str().unwrap())
        .collect();
    let bid = |line: &str| found(seen[seen.len() - 1], &format!(r"\[(\w+)\] {line}"));
    let code = match seen.len() {
        0 => Some(format!("goto('{site}')")),
        1 => Some(format!(
            "fill('{}', 'Ada')\nselect_option('{}', 'Salad')",
            bid("textbox 'Your name'"),
            bid("combobox 'Meal'")
        )),
        2 => Some(format!("click('{}')", bid("button 'Send'"))),
        _ => None,
    };
    let message = if let Some(code) = code {
        let arguments = json!({"code": code}).to_string();
        json!({"role": "assistant", "content": null, "tool_calls": [{
            "id": format!("call-{}", seen.len()), "type": "function",
            "function": {"name": "browser", "arguments": arguments},
        }]})
    } else {
        let heading = found(seen[2], "heading '([^']*)'");
        let text = found(seen[2], "StaticText '(Your [^']*)'");
        json!({"role": "assistant", "content": format!("The page said: {heading} {text}")})
    };
    Json(json!({
        "id": "c", "object": "chat.completion", "created": 1, "model": "mock",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
    }))
}

/// The loop of a backend: gives what the model says at its end, and the observations on the way.
async fn run(server: &Server, model: &str, task: &str) -> (String, Vec<Value>) {
    let mut messages = vec![json!({"role": "user", "content": task})];
    let mut observations = Vec::new();
    for _ in 0..MAX_STEPS {
        let request = json!({"model": "mock", "messages": messages});
        let sent = server
            .client
            .post(format!("{model}/chat/completions"))
            .json(&request)
            .send()
            .await
            .unwrap();
        let answer: Value = sent.error_for_status().unwrap().json().await.unwrap();
        let message = answer["choices"][0]["message"].clone();
        let call = message["tool_calls"][0].clone();
        if call.is_null() {
            return (
                message["content"].as_str().unwrap().to_owned(),
                observations,
            );
        }
        messages.push(message);
        assert_eq!(call["function"]["name"], "browser");
        let arguments = call["function"]["arguments"].as_str().unwrap();
        let arguments: Value = serde_json::from_str(arguments).unwrap();
        let action = json!({"browser_actions": arguments["code"]});
        let seen = server.act("browse_interactive", action, 150.0).await;
        let content = seen["content"].clone();
        messages.push(json!({"role": "tool", "tool_call_id": call["id"], "content": content}));
        observations.push(seen);
    }
    panic!("the agent does not come to its end: {messages:#?}");
}

#[tokio::test]
async fn an_agent_fills_in_a_form_and_reports_what_the_page_said() {
    let Some(server) = server().await else { return };
    let (site, _site) = serve(
        Router::new()
            .route("/", get(|| async { Html(FORM) }))
            .route("/greet", get(greet)),
    )
    .await;
    let (model, _model) = serve(Router::new().fallback(think).with_state(site.clone())).await;
    let (report, observations) = run(&server, &model, "Sign Ada up.").await;
    assert_eq!(
        report,
        "The page said: Welcome, Ada! Your Salad is on its way."
    );
    let seen: Vec<(&Value, &Value)> = observations
        .iter()
        .map(|seen| (&seen["observation"], &seen["extras"]["error"]))
        .collect();
    let fine = (&json!("browse"), &json!(false));
    assert_eq!(seen, [fine, fine, fine]);
    let url = observations[2]["extras"]["url"].as_str().unwrap();
    assert!(url.starts_with(&format!("{site}/greet?")), "{url}");
}

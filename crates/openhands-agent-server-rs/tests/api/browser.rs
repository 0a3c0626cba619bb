//! An agent with a real browser: it fills in a form and reports what the page said.

use axum::extract::{Query, State};
use axum::response::Html;
use axum::routing::get;
use axum::{Json, Router};
use openhands_sdk_rs::tools::browser::tool::is_usable;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep};
use tokio_util::task::AbortOnDropHandle;

use crate::harness::World;

/// How long what must happen may take.
const SOON: Duration = Duration::from_secs(30);

const FORM: &str = r#"<!doctype html><title>Guests</title><form action="/greet"><input name=name placeholder="Your name">
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

/// A scripted model that reads what the browser answered.
async fn think(State(site): State<String>, Json(request): Json<Value>) -> Json<Value> {
    let messages = request["messages"].as_array().unwrap();
    let said = |message: &Value| match &message["content"] {
        Value::String(text) => text.clone(),
        parts => parts
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|part| part["text"].as_str())
            .collect(),
    };
    let answers: Vec<String> = messages
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(said)
        .collect();
    let index = |key: &str, name: &str| {
        let state: Value = serde_json::from_str(&answers[1]).unwrap();
        let elements = state["interactive_elements"].as_array().unwrap().clone();
        let found = elements.iter().find(|element| element[key] == name);
        found.unwrap_or_else(|| panic!("{state:#}"))["index"].clone()
    };
    let call = match answers.len() {
        0 => Some(("browser_navigate", json!({"url": site}))),
        1 => Some(("browser_get_state", json!({}))),
        2 => Some((
            "browser_type",
            json!({"index": index("placeholder", "Your name"), "text": "Ada"}),
        )),
        3 => Some((
            "browser_type",
            json!({"index": index("label", "Meal"), "text": "Salad"}),
        )),
        4 => Some(("browser_click", json!({"index": index("text", "Send")}))),
        5 => Some(("browser_get_content", json!({}))),
        _ => None,
    };
    let message = if let Some((name, arguments)) = call {
        json!({"role": "assistant", "content": "", "tool_calls": [{
            "id": format!("call-{}", answers.len()), "type": "function",
            "function": {"name": name, "arguments": arguments.to_string()},
        }]})
    } else {
        let (_, page) = answers[5].split_once("<webpage_content>\n").unwrap();
        let (page, _) = page.split_once("\n</webpage_content>").unwrap();
        json!({"role": "assistant", "content": format!("The page said: {page}")})
    };
    Json(json!({
        "id": "c", "object": "chat.completion", "created": 1, "model": "mock",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
    }))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_fills_in_a_form_and_reports_what_the_page_said() {
    if !is_usable(std::env::vars()) {
        assert!(
            std::env::var_os("CI").is_none_or(|ci| ci != "true"),
            "there is no Chromium, and nothing may be skipped here"
        );
        println!("skipped: no chromium");
        return;
    }
    let (site, _site) = serve(
        Router::new()
            .route("/", get(|| async { Html(FORM) }))
            .route("/greet", get(greet)),
    )
    .await;
    let (model, _model) = serve(Router::new().fallback(think).with_state(site.clone())).await;
    let world = World::with(|config| {
        config
            .env
            .retain(|(name, _)| name != "OH_BROWSER_EXECUTABLE");
    })
    .await;
    let (status, info) = world
        .post(
            "/api/conversations",
            &json!({
                "agent": {
                    "kind": "Agent",
                    "llm": {"model": "openai/mock", "api_key": "sk-scripted", "base_url": model, "num_retries": 0},
                    "tools": [{"name": "browser_tool_set"}],
                },
                "workspace": {"working_dir": world.path().join("project")},
                "autotitle": false,
                "initial_message": {"role": "user", "content": [{"type": "text", "text": "Sign Ada up."}], "run": true},
            }),
        )
        .await;
    assert_eq!(status, 201, "{info}");
    let id = info["id"].as_str().unwrap();
    world.wait_for_status(id, "finished").await;
    let (_, last) = world
        .get(&format!("/api/conversations/{id}/agent_final_response"))
        .await;
    assert_eq!(
        last,
        json!({"response": "The page said: # Welcome, Ada!\n\nYour Salad is on its way."})
    );
    let (_, events) = world
        .get(&format!("/api/conversations/{id}/events/search?limit=100"))
        .await;
    let observed: Vec<&Value> = events["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["kind"] == "ObservationEvent")
        .collect();
    assert_eq!(observed.len(), 6);
    assert_eq!(observed[0]["observation"]["kind"], "BrowserObservation");
    assert_eq!(
        observed[0]["observation"]["content"][0]["text"],
        format!("Navigated to: {site}")
    );
    let project = world.path().join("project").canonicalize().unwrap();
    assert!(has_browser(&project), "the browser ended with the run");
    let (status, _) = world.delete(&format!("/api/conversations/{id}")).await;
    assert_eq!(status, 200);
    let deadline = Instant::now() + SOON;
    while has_browser(&project) {
        assert!(
            Instant::now() < deadline,
            "the browser outlives its conversation"
        );
        sleep(Duration::from_millis(10)).await;
    }
}

/// Whether a browser runs that was started in this directory.
fn has_browser(directory: &Path) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes.map(|entry| entry.path()).any(|process| {
        let words = std::fs::read(process.join("cmdline")).unwrap_or_default();
        let is_browser = String::from_utf8_lossy(&words).contains("--remote-debugging-pipe");
        let place = std::fs::read_link(process.join("cwd"));
        is_browser && place.is_ok_and(|place| place == directory)
    })
}

//! Bad requests to a running server: all that is wrong at once, wherever it is.

use pretty_assertions::assert_eq;
use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{World, answer};

fn places(body: &Value) -> Vec<Value> {
    let errors = body["detail"].as_array().unwrap();
    errors
        .iter()
        .map(|error| json!([error["type"], error["loc"]]))
        .collect()
}

#[tokio::test]
async fn what_is_wrong_in_path_query_and_body_is_told_at_once() {
    let world = World::new().await;
    let (status, body) = world
        .post(
            "/api/conversations?include_skills=perhaps",
            &json!({"max_iterations": 0}),
        )
        .await;
    assert_eq!(status.as_u16(), 422);
    assert_eq!(
        places(&body),
        [
            json!(["bool_parsing", ["query", "include_skills"]]),
            json!(["missing", ["body", "workspace"]]),
            json!(["greater_than_equal", ["body", "max_iterations"]]),
        ]
    );
    let (status, body) = world
        .patch("/api/conversations/nonsense", &json!({"title": ""}))
        .await;
    assert_eq!(status.as_u16(), 422);
    assert_eq!(
        body,
        json!({"detail": [
            {
                "type": "uuid_parsing",
                "loc": ["path", "conversation_id"],
                "msg": "Input should be a valid UUID, invalid character: found `n` at 0",
                "input": "nonsense",
                "ctx": {"error": "invalid character: found `n` at 0"},
            },
            {
                "type": "string_too_short",
                "loc": ["body", "title"],
                "msg": "String should have at least 1 character",
                "input": "",
                "ctx": {"min_length": 1},
            },
        ]})
    );
}

#[tokio::test]
async fn broken_json_is_told_alone() {
    let world = World::new().await;
    let request = world
        .request(Method::PATCH, "/api/conversations/nonsense")
        .header("content-type", "application/json")
        .body("{\"title\":");
    let (status, body) = answer(request).await;
    assert_eq!(status.as_u16(), 422);
    assert_eq!(places(&body), [json!(["json_invalid", ["body", 9]])]);
}

#[tokio::test]
async fn the_key_is_asked_for_before_anything_is_read() {
    let world = World::with(|config| config.session_api_keys = vec!["k".to_owned()]).await;
    let request = world
        .client
        .post(world.url("/api/conversations?include_skills=perhaps"))
        .body("{");
    let (status, body) = answer(request).await;
    assert_eq!(
        (status.as_u16(), body),
        (401, json!({"detail": "Unauthorized"}))
    );
}

#[tokio::test]
async fn lists_in_the_query_take_all_values_and_others_the_last() {
    let world = World::new().await;
    let (status, body) = world
        .get("/api/conversations?ids=x&ids=12345678123412341234123456789012&unknown=1")
        .await;
    assert_eq!(status.as_u16(), 422);
    assert_eq!(
        places(&body),
        [json!(["uuid_parsing", ["query", "ids", 0]])]
    );
    let (status, _) = world
        .get("/api/conversations/search?limit=0&limit=5.0")
        .await;
    assert_eq!(status.as_u16(), 200);
    let (status, body) = world.get("/api/conversations").await;
    assert_eq!(status.as_u16(), 422);
    assert_eq!(
        body,
        json!({"detail": [{"type": "missing", "loc": ["query", "ids"], "msg": "Field required", "input": null}]})
    );
}

#[tokio::test]
async fn secrets_in_what_was_sent_are_not_shown_back() {
    let world = World::new().await;
    let request = json!({
        "api_key": "sk-1",
        "agent": {"llm": {"model": "m", "aws_secret_access_key": "sk-2"}},
        "env": {"PLAIN": "sk-3"},
        "nested": [{"headers": {"X": ["sk-4"]}, "Session-Id": "sk-5"}],
    });
    let (status, body) = world.post("/api/conversations", &request).await;
    assert_eq!(status.as_u16(), 422);
    assert!(!body.to_string().contains("sk-"), "{body}");
    assert_eq!(
        body["detail"][0]["input"]["env"],
        json!({"PLAIN": "<redacted>"})
    );
    assert_eq!(body["detail"][0]["input"]["agent"]["llm"]["model"], "m");
}

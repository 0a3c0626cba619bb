//! A server that is set up late, as recorded from the reference.

use pretty_assertions::assert_eq;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::harness::{World, answer};

const NOT_DEFERRED: &str =
    "server is not running with deferred_init=True; the /api/init endpoint is not available";

async fn dormant() -> World {
    World::with(|config| {
        config.deferred_init = true;
        config.secret_key = Some("boot".to_owned());
    })
    .await
}

async fn init(world: &World, key: Option<&str>, body: &Value) -> (u16, Value) {
    let mut request = world.client.post(world.url("/api/init")).json(body);
    if let Some(key) = key {
        request = request.header("X-Init-API-Key", key);
    }
    let (status, body) = answer(request).await;
    (status.as_u16(), body)
}

async fn get(world: &World, path: &str) -> (u16, Value) {
    let (status, body) = world.get(path).await;
    (status.as_u16(), body)
}

#[tokio::test]
async fn it_sleeps_until_it_is_told_whose_it_is() {
    let world = dormant().await;
    let state = |state: &str| json!({"state": state, "error": null});
    assert_eq!(
        get(&world, "/ready").await,
        (200, json!({"status": "ready"}))
    );
    assert_eq!(get(&world, "/alive").await, (200, json!({"status": "ok"})));
    assert_eq!(get(&world, "/api/init").await, (200, state("dormant")));
    assert_eq!(get(&world, "/server_info").await.1["version"], "1.58.0");
    let asleep = json!({
        "detail": "Internal Server Error",
        "exception": "503: server is in deferred-init state 'dormant'; call POST /api/init first",
    });
    assert_eq!(get(&world, "/api/system").await, (503, asleep));
    assert_eq!(get(&world, "/api/nothing").await.0, 404);
    assert!(
        !world.path().join("workspace").exists(),
        "nothing is touched"
    );

    let refused = (401, json!({"detail": "Unauthorized"}));
    assert_eq!(init(&world, None, &json!({})).await, refused);
    assert_eq!(
        init(&world, Some("bad"), &json!({"bogus": 1})).await,
        refused
    );
    let extra = json!([{
        "type": "extra_forbidden",
        "loc": ["body", "bogus"],
        "msg": "Extra inputs are not permitted",
        "input": 1,
    }]);
    let answer = init(&world, Some("boot"), &json!({"bogus": 1})).await;
    assert_eq!(answer, (422, json!({"detail": extra})));
    let empty = json!({"detail": "session_api_keys cannot contain empty keys"});
    let answer = init(&world, Some("boot"), &json!({"session_api_keys": [""]})).await;
    assert_eq!(answer, (422, empty));
    let answer = init(&world, Some("boot"), &json!({"max_concurrent_runs": 0})).await;
    assert_eq!(answer.0, 422);
    assert_eq!(answer.1["detail"][0]["type"], "greater_than_equal");
    assert_eq!(get(&world, "/api/init").await, (200, state("dormant")));

    let conversations = world.path().join("late");
    let request = json!({
        "session_api_keys": ["u1"],
        "conversations_path": conversations,
        "env": {"FOO_TOKEN": "zz"},
        "allow_cors_origins": ["https://late.example"],
    });
    assert_eq!(
        init(&world, Some("boot"), &request).await,
        (200, state("ready"))
    );
    assert_eq!(get(&world, "/api/init").await, (200, state("ready")));
    assert_eq!(
        get(&world, "/api/system").await,
        (401, json!({"detail": "Unauthorized"}))
    );
    let asked = world
        .client
        .get(world.url("/api/system"))
        .header("X-Session-API-Key", "u1")
        .header("Origin", "https://late.example");
    let response = asked.send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(
        response.headers()["access-control-allow-origin"],
        "https://late.example"
    );
    let app = world.server.app().unwrap();
    assert_eq!(app.config().conversations_path, conversations);
    assert!(
        app.config()
            .env
            .contains(&("FOO_TOKEN".to_owned(), "zz".to_owned()))
    );
    assert!(
        app.config()
            .env
            .contains(&("OH_SESSION_API_KEYS_0".to_owned(), "u1".to_owned()))
    );
    let again = json!({"detail": "server already in state: ready"});
    assert_eq!(init(&world, Some("boot"), &json!({})).await, (400, again));
    assert_eq!(init(&world, None, &json!({})).await, refused);
}

#[tokio::test]
async fn without_a_secret_key_anybody_may_set_it_up_and_the_session_key_seals() {
    let world = World::with(|config| config.deferred_init = true).await;
    let answer = init(&world, None, &json!({"session_api_keys": ["k1"]})).await;
    assert_eq!(answer.0, 200);
    let app = world.server.app().unwrap();
    assert_eq!(app.config().secret_key.as_deref(), Some("k1"));
}

#[tokio::test]
async fn a_blank_secret_key_opens_nothing() {
    let world = World::with(|config| {
        config.deferred_init = true;
        config.secret_key_was_blank = true;
    })
    .await;
    assert_eq!(init(&world, None, &json!({})).await.0, 401);
    assert_eq!(init(&world, Some(""), &json!({})).await.0, 401);
}

#[tokio::test]
async fn a_failed_set_up_can_be_tried_again() {
    let world = World::with(|config| config.deferred_init = true).await;
    let wrong = json!({"webhooks": [{"base_url": "nowhere"}]});
    let (status, body) = init(&world, None, &wrong).await;
    assert_eq!(status, 500);
    assert_eq!(body["detail"], "Internal Server Error");
    let exception = body["exception"].as_str().unwrap();
    assert!(
        exception.starts_with("500: base_url of a webhook"),
        "{exception}"
    );
    let (_, status) = get(&world, "/api/init").await;
    assert_eq!(status["state"], "dormant");
    assert!(status["error"].as_str().unwrap().contains("nowhere"));
    let limits = json!({"webhooks": [{"base_url": "http://h", "event_buffer_size": 0}]});
    assert_eq!(init(&world, None, &limits).await.0, 422);
    assert_eq!(init(&world, None, &json!({})).await.0, 200);
}

#[tokio::test]
async fn a_server_that_is_not_deferred_has_nothing_to_set_up() {
    let world = World::with(|config| config.secret_key = Some("s".to_owned())).await;
    let missing = (404, json!({"detail": NOT_DEFERRED}));
    assert_eq!(get(&world, "/api/init").await, missing);
    assert_eq!(init(&world, None, &json!({})).await.0, 401);
    assert_eq!(init(&world, Some("s"), &json!({})).await, missing);
}

#[tokio::test]
async fn sockets_of_a_dormant_server_are_refused_at_the_handshake() {
    let world = dormant().await;
    for operation in openhands_agent_server_rs::App::operations() {
        if !operation.path.starts_with("/sockets/") || operation.method != Method::GET {
            continue;
        }
        let path = operation
            .path
            .replace("{conversation_id}", "0b2cef6d-a6ce-4651-8470-86f387981402");
        let url = format!("ws://{}{path}", world.server.address);
        let refused = tokio_tungstenite::connect_async(url).await;
        let Err(tokio_tungstenite::tungstenite::Error::Http(response)) = refused else {
            panic!("{path} was not refused");
        };
        assert_eq!(response.status(), StatusCode::FORBIDDEN);
    }
}

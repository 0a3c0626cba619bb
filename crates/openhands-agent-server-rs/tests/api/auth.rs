//! Who may come in: every route and every socket that there is, so that a new one cannot forget it.

use std::time::Duration;

use openhands_agent_server_rs::{App, Operation};
use pretty_assertions::assert_eq;
use reqwest::header::{AUTHORIZATION, COOKIE};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{self, Message};

use crate::harness::{World, answer};

const KEY: &str = "the-key";
const OTHER_KEY: &str = "another-key";
/// What anybody may ask.
const OPEN: &[&str] = &[
    "/",
    "/alive",
    "/health",
    "/ready",
    "/server_info",
    "/docs",
    "/redoc",
    "/openapi.json",
    "/api/init",
    "/static/{*file_path}",
];

async fn locked() -> World {
    World::with(|config| {
        config.session_api_keys = vec![KEY.to_owned(), OTHER_KEY.to_owned()];
    })
    .await
}

/// A path of the operation, with something for each parameter.
fn path(operation: &Operation) -> String {
    let parts = operation.path.split('/').map(|part| {
        if part.starts_with('{') {
            "0b2cef6d-a6ce-4651-8470-86f387981402"
        } else {
            part
        }
    });
    parts.collect::<Vec<_>>().join("/")
}

#[tokio::test]
async fn no_route_answers_without_a_key() {
    let world = locked().await;
    let mut walked = 0;
    for operation in App::operations() {
        if operation.path.starts_with("/sockets/") || OPEN.contains(&operation.path) {
            continue;
        }
        let place = format!("{} {}", operation.method, operation.path);
        let url = world.url(&path(&operation));
        let ask = || world.client.request(operation.method.clone(), &url);
        let refused = (StatusCode::UNAUTHORIZED, json!({"detail": "Unauthorized"}));
        // The key counts before the body.
        assert_eq!(answer(ask().body("{")).await, refused, "{place}");
        for wrong in ["", "the-ke", "the-key2", "THE-KEY"] {
            let asked = ask().header("X-Session-API-Key", wrong);
            assert_eq!(answer(asked).await, refused, "{place}");
        }
        let queried = world.client.request(
            operation.method.clone(),
            format!("{url}?session_api_key={KEY}"),
        );
        assert_eq!(answer(queried).await, refused, "{place}");
        if operation.path.starts_with("/api/") {
            let bearer = ask().header(AUTHORIZATION, format!("Bearer {KEY}"));
            assert_eq!(answer(bearer).await, refused, "{place}");
        }
        let cookie = ask().header(COOKIE, "oh_workspace_session_key=wrong");
        assert_eq!(answer(cookie).await, refused, "{place}");
        walked += 1;
    }
    assert!(walked > 1, "{walked}");
}

#[tokio::test]
async fn only_what_is_listed_is_open() {
    for operation in App::operations() {
        let is_known = ["/api/", "/v1/", "/sockets/", "/app-backends/", "/mcp"]
            .iter()
            .any(|start| operation.path.starts_with(start));
        let is_listed = OPEN.contains(&operation.path) || operation.path == "/metrics";
        assert!(is_known || is_listed, "{}", operation.path);
    }
    let world = locked().await;
    for path in ["/", "/alive", "/health", "/ready", "/server_info"] {
        let asked = world.client.get(world.url(path));
        assert_eq!(answer(asked).await.0, StatusCode::OK, "{path}");
    }
    // Paths come before keys.
    for path in ["/api/nothing", "/nothing", "/sockets/nope"] {
        let asked = world.client.get(world.url(path));
        let missing = (StatusCode::NOT_FOUND, json!({"detail": "Not Found"}));
        assert_eq!(answer(asked).await, missing, "{path}");
    }
}

#[tokio::test]
async fn every_key_opens() {
    let world = locked().await;
    for key in [KEY, OTHER_KEY] {
        let asked = world
            .client
            .get(world.url("/api/system"))
            .header("X-Session-API-Key", key);
        assert_eq!(answer(asked).await.0, StatusCode::OK);
        for scheme in ["Bearer", "bearer"] {
            let asked = world
                .client
                .get(world.url("/metrics"))
                .header(AUTHORIZATION, format!("{scheme} {key}"));
            assert_eq!(answer(asked).await.0, StatusCode::OK);
        }
    }
}

#[tokio::test]
async fn no_socket_opens_without_a_key() {
    let world = locked().await;
    for operation in App::operations() {
        if !operation.path.starts_with("/sockets/") {
            continue;
        }
        let place = operation.path;
        let url = format!("ws://{}{}", world.server.address, path(&operation));
        let wrong = tokio_tungstenite::connect_async(format!("{url}?session_api_key=wrong")).await;
        assert_refused(wrong.err(), place);
        let mut request = url.as_str().into_client_request().unwrap();
        request
            .headers_mut()
            .insert("X-Session-API-Key", "wrong".parse().unwrap());
        assert_refused(tokio_tungstenite::connect_async(request).await.err(), place);
        for frame in [
            json!({"type": "auth", "session_api_key": "wrong"}),
            json!({"type": "hello", "session_api_key": KEY}),
            Value::String("hello".to_owned()),
        ] {
            let (mut socket, _) = tokio_tungstenite::connect_async(&url).await.unwrap();
            use futures_util::{SinkExt as _, StreamExt as _};
            socket.send(Message::text(frame.to_string())).await.unwrap();
            let told = tokio::time::timeout(Duration::from_secs(20), socket.next()).await;
            let Some(Ok(Message::Close(Some(close)))) = told.unwrap() else {
                panic!("{place} told something without a key");
            };
            assert_eq!(
                (u16::from(close.code), close.reason.as_str()),
                (4001, "Authentication failed")
            );
        }
    }
}

fn assert_refused(error: Option<tungstenite::Error>, place: &str) {
    let Some(tungstenite::Error::Http(response)) = error else {
        panic!("{place} was not refused: {error:?}");
    };
    assert_eq!(response.status(), StatusCode::FORBIDDEN, "{place}");
}

#[tokio::test]
async fn methods_and_slashes_are_settled_before_keys() {
    let world = locked().await;
    let ask = |method: Method, path: &str| {
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .unwrap();
        client.request(method, world.url(path)).send()
    };
    for (method, path) in [
        (Method::PUT, "/api/system"),
        (Method::HEAD, "/api/system"),
        (Method::HEAD, "/health"),
    ] {
        let response = ask(method.clone(), path).await.unwrap();
        assert_eq!(
            response.status(),
            StatusCode::METHOD_NOT_ALLOWED,
            "{method} {path}"
        );
        assert_eq!(response.headers()["allow"], "GET", "{method} {path}");
        if method != Method::HEAD {
            let body: Value = response.json().await.unwrap();
            assert_eq!(body, json!({"detail": "Method Not Allowed"}));
        }
    }
    for method in [Method::GET, Method::POST] {
        let response = ask(method, "/api/system/?a=b").await.unwrap();
        assert_eq!(response.status(), StatusCode::TEMPORARY_REDIRECT);
        let target = format!("http://{}/api/system?a=b", world.server.address);
        assert_eq!(response.headers()["location"], target.as_str());
    }
}

//! Servers that ask for OAuth: stored tokens are used, refreshed and saved.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::IntoResponse as _;
use axum::routing::{get, post};
use openhands_sdk_rs::mcp::{McpOptions, SaveTokens};
use openhands_sdk_rs::protocol::{Form, Names, Nulls, Secrets};
use parking_lot::Mutex;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{call, errors, healthy, options, started_with, texts};
use crate::web::{Web, anywhere, streamable};

/// What was asked for: `Authorization` and the form.
type Asked = Arc<Mutex<Vec<(Option<String>, String)>>>;

/// A server that takes the token `fresh` only, and who gives it, described elsewhere than anybody would guess.
async fn protected() -> (Web, Asked) {
    let asked = Asked::default();
    let log = Arc::clone(&asked);
    let sessions = CancellationToken::new();
    let guarded = streamable(&sessions).layer(from_fn(|request: Request, next: Next| async move {
        if request
            .headers()
            .get("authorization")
            .is_some_and(|value| value == "Bearer fresh")
        {
            return next.run(request).await;
        }
        (
            StatusCode::UNAUTHORIZED,
            [("www-authenticate", "Bearer error=\"invalid_token\"")],
        )
            .into_response()
    }));
    let origin = |headers: &HeaderMap| format!("http://{}", headers["host"].to_str().unwrap());
    let resource = move |headers: HeaderMap| async move {
        let origin = origin(&headers);
        axum::Json(
            json!({"resource": format!("{origin}/mcp"), "authorization_servers": [format!("{origin}/tenant")]}),
        )
    };
    let giver = move |headers: HeaderMap| async move {
        axum::Json(
            json!({"issuer": "x", "token_endpoint": format!("{}/tenant/v2/tok", origin(&headers))}),
        )
    };
    let token = move |headers: HeaderMap, body: Bytes| async move {
        let authorization = headers
            .get("authorization")
            .map(|value| value.to_str().unwrap().to_owned());
        let form = String::from_utf8(body.to_vec()).unwrap();
        let good = form.contains("refresh_token=again%2F1");
        log.lock().push((authorization, form));
        if good {
            axum::Json(json!({"access_token": "fresh", "token_type": "Bearer", "expires_in": 3600}))
                .into_response()
        } else {
            (
                StatusCode::BAD_REQUEST,
                axum::Json(json!({"error": "invalid_grant", "hint": "s3cret"})),
            )
                .into_response()
        }
    };
    let router = Router::new()
        .route("/.well-known/oauth-protected-resource/mcp", get(resource))
        .route("/.well-known/openid-configuration/tenant", get(giver))
        .route("/tenant/v2/tok", post(token))
        .merge(guarded);
    (Web::serve(router, anywhere(), sessions).await, asked)
}

fn server(web: &Web, state: Value) -> Value {
    json!({"only": {"url": web.url("/mcp"), "auth": {"strategy": "oauth2", "state": state}}})
}

/// Options, and what they save.
fn saving() -> (McpOptions, Arc<Mutex<HashMap<String, Value>>>) {
    let saved: Arc<Mutex<HashMap<String, Value>>> = Arc::default();
    let log = Arc::clone(&saved);
    let save: SaveTokens = Arc::new(move |server, state| {
        let plain = Form::new(Nulls::Omit, Secrets::Plain, Names::Public)
            .to_value(state)
            .unwrap();
        log.lock().insert(server.to_owned(), plain);
    });
    (
        McpOptions {
            save_tokens: Some(save),
            ..options()
        },
        saved,
    )
}

#[tokio::test]
async fn an_expired_token_is_refreshed_before_it_is_used_and_saved() {
    let (web, asked) = protected().await;
    let (options, saved) = saving();
    let state = json!({
        "tokens": {"access_token": "old", "refresh_token": "again/1", "scope": "read"},
        "client_info": {"client_id": "me", "client_secret": "p w", "token_endpoint_auth_method": "client_secret_basic"},
        "token_expires_at": 1000.0,
    });
    let servers = started_with(server(&web, state), &options).await;
    healthy(&servers);
    assert_eq!(
        texts(&call(&servers, "echo", json!({"text": "hi"})).await),
        ["hi"]
    );
    servers.close().await;
    let resource = format!("http%3A%2F%2F127.0.0.1%3A{}%2Fmcp", web.address.port());
    assert_eq!(
        *asked.lock(),
        [(
            Some("Basic bWU6cCUyMHc=".to_owned()),
            format!("grant_type=refresh_token&refresh_token=again%2F1&resource={resource}")
        )]
    );
    let saved = saved.lock()["only"].clone();
    assert_eq!(
        saved["tokens"],
        json!({
            "access_token": "fresh", "refresh_token": "again/1", "scope": "read", "token_type": "Bearer",
            "expires_in": 3600.0,
        })
    );
    assert!(saved["token_expires_at"].as_f64().unwrap() > 1e9);
    assert_eq!(saved["client_info"]["client_id"], "me");
}

#[tokio::test]
async fn a_token_that_the_server_refuses_is_refreshed_once() {
    let (web, asked) = protected().await;
    let (options, _) = saving();
    let state = json!({
        "tokens": {"access_token": "revoked", "refresh_token": "again/1"}, "client_info": {"client_id": "me"},
    });
    let servers = started_with(server(&web, state), &options).await;
    healthy(&servers);
    servers.close().await;
    let asked = asked.lock();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].0, None);
    assert!(asked[0].1.ends_with("&client_id=me"), "{asked:?}");
}

#[tokio::test]
async fn without_a_usable_token_the_server_must_be_authorized_again() {
    let (web, asked) = protected().await;
    let (options, saved) = saving();
    let servers = started_with(server(&web, json!({})), &options).await;
    let found = errors(&servers);
    assert!(
        found["only"].contains("must be authorized again"),
        "{found:?}"
    );
    servers.close().await;
    assert_eq!(asked.lock().len(), 0);

    let state = json!({
        "tokens": {"access_token": "old", "refresh_token": "wrong"}, "client_info": {"client_id": "me"},
        "token_expires_at": 1.0,
    });
    let servers = started_with(server(&web, state), &options).await;
    let found = errors(&servers);
    assert!(
        found["only"].contains("invalid_grant") && !found["only"].contains("s3cret"),
        "{found:?}"
    );
    servers.close().await;
    assert!(saved.lock().is_empty());
}

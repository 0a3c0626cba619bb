//! Servers of the web: streamable HTTP, and the older event streams.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Query, Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use openhands_sdk_rs::tools::{CallContext, OutputSink, ToolError};
use parking_lot::Mutex;
use pretty_assertions::assert_eq;
use rmcp::ServiceExt as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::server::TestServer;
use crate::support::{
    DEADLINE, call, call_in, context, errors, healthy, names, started, texts, tool, until,
};

/// A server that ends when it is dropped, with all its connections.
pub(crate) struct Web {
    pub(crate) address: SocketAddr,
    _task: AbortOnDropHandle<()>,
    /// Dropping it ends the sessions.
    _sessions: tokio_util::sync::DropGuard,
}

impl Web {
    pub(crate) async fn serve(
        router: Router,
        address: SocketAddr,
        sessions: CancellationToken,
    ) -> Self {
        let mut listener = None;
        until("the address is free", async || {
            listener = TcpListener::bind(address).await.ok();
            listener.is_some()
        })
        .await;
        let listener = listener.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = sessions.clone();
        let task = AbortOnDropHandle::new(tokio::spawn(async move {
            let served = axum::serve(listener, router)
                .with_graceful_shutdown(async move { stop.cancelled().await });
            served.await.unwrap();
        }));
        Self {
            address,
            _task: task,
            _sessions: sessions.drop_guard(),
        }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

pub(crate) fn anywhere() -> SocketAddr {
    ([127, 0, 0, 1], 0).into()
}

/// The routes of streamable HTTP.
pub(crate) fn streamable(sessions: &CancellationToken) -> Router {
    let config = StreamableHttpServerConfig::default().with_cancellation_token(sessions.clone());
    let server = TestServer::default();
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    Router::new().nest_service("/mcp", service)
}

async fn http(address: SocketAddr) -> Web {
    let sessions = CancellationToken::new();
    Web::serve(streamable(&sessions), address, sessions).await
}

#[tokio::test]
async fn streamable_http_serves_calls_progress_cancels_and_changes() {
    let web = http(anywhere()).await;
    let servers = started(json!({"only": {"url": web.url("/mcp")}})).await;
    healthy(&servers);
    works(&servers).await;
    servers.close().await;
}

#[tokio::test]
async fn headers_and_credentials_go_with_every_request() {
    let sessions = CancellationToken::new();
    let seen: Arc<Mutex<Vec<bool>>> = Arc::default();
    let log = Arc::clone(&seen);
    let router = streamable(&sessions).layer(from_fn(move |request: Request, next: Next| {
        let header = |name: &str| {
            request
                .headers()
                .get(name)
                .and_then(|value| value.to_str().ok())
        };
        let good = header("authorization") == Some("Bearer k") && header("x-team") == Some("blue");
        log.lock().push(good);
        async move {
            if good {
                next.run(request).await
            } else {
                StatusCode::FORBIDDEN.into_response()
            }
        }
    }));
    let web = Web::serve(router, anywhere(), sessions).await;
    let servers = started(json!({
        "good": {
            "url": web.url("/mcp"), "headers": {"X-Team": "blue", "Accept": "text/plain"},
            "auth": {"strategy": "api_key", "value": "k"},
        },
    }))
    .await;
    healthy(&servers);
    assert_eq!(
        texts(&call(&servers, "echo", json!({"text": "hi"})).await),
        ["hi"]
    );
    servers.close().await;
    assert!(seen.lock().iter().all(|good| *good), "{seen:?}");

    let servers = started(json!({"bad": {"url": web.url("/mcp")}})).await;
    let found = errors(&servers);
    assert!(found["bad"].contains("403"), "{found:?}");
    servers.close().await;
}

#[tokio::test]
async fn a_server_of_the_web_that_was_restarted_is_found_again() {
    let web = http(anywhere()).await;
    let address = web.address;
    let servers = started(json!({"only": {"url": web.url("/mcp")}})).await;
    assert_eq!(
        texts(&call(&servers, "echo", json!({"text": "one"})).await),
        ["one"]
    );
    drop(web);
    until("calls fail clearly", async || {
        let observation = call(&servers, "echo", json!({"text": "x"})).await;
        observation.is_error
            && texts(&observation)
                .concat()
                .contains("All connection attempts failed")
    })
    .await;
    let _web = http(address).await;
    until("calls work again", async || {
        texts(&call(&servers, "echo", json!({"text": "two"})).await) == ["two"]
    })
    .await;
    until("there is no error", async || servers.errors().is_empty()).await;
    servers.close().await;
}

#[tokio::test]
async fn the_older_event_streams_serve_calls_progress_cancels_and_changes() {
    let web = sse(anywhere()).await;
    let servers = started(json!({"only": {"url": web.url("/sse")}})).await;
    healthy(&servers);
    works(&servers).await;
    servers.close().await;
}

#[tokio::test]
async fn an_event_stream_that_ended_is_opened_again() {
    let web = sse(anywhere()).await;
    let address = web.address;
    let servers = started(json!({"only": {"url": web.url("/sse")}})).await;
    drop(web);
    until("the loss is seen", async || !servers.errors().is_empty()).await;
    let _web = sse(address).await;
    until("calls work again", async || {
        texts(&call(&servers, "echo", json!({"text": "two"})).await) == ["two"]
    })
    .await;
    servers.close().await;
}

#[tokio::test]
async fn an_event_stream_that_is_silent_for_too_long_is_opened_again() {
    let sessions = Sessions::default();
    let web = sse_with(anywhere(), Arc::clone(&sessions)).await;
    let settings = json!({"only": {"url": web.url("/sse"), "sse_read_timeout": 0.2}});
    let servers = started(settings).await;
    until("a second stream", async || sessions.lock().len() > 1).await;
    until("calls work", async || {
        texts(&call(&servers, "echo", json!({"text": "two"})).await) == ["two"]
    })
    .await;
    servers.close().await;
}

#[tokio::test]
async fn credentials_do_not_follow_a_redirect_to_another_server() {
    let visits: Arc<Mutex<usize>> = Arc::default();
    let count = Arc::clone(&visits);
    let foreign = Router::new().fallback(move || {
        *count.lock() += 1;
        async { StatusCode::OK }
    });
    let foreign = Web::serve(foreign, anywhere(), CancellationToken::new()).await;
    let target = foreign.url("/mcp");
    let home = Router::new().fallback(move || {
        let target = target.clone();
        async move { (StatusCode::TEMPORARY_REDIRECT, [("location", target)]) }
    });
    let home = Web::serve(home, anywhere(), CancellationToken::new()).await;
    let auth = json!({"strategy": "bearer", "value": "s3cret"});
    let servers = started(json!({"only": {"url": home.url("/mcp"), "auth": auth}})).await;
    let found = errors(&servers);
    assert!(found["only"].contains("307"), "{found:?}");
    assert_eq!(*visits.lock(), 0);
    servers.close().await;
}

/// All that a connection must carry.
async fn works(servers: &openhands_sdk_rs::mcp::McpServers) {
    assert_eq!(names(servers).len(), 12);
    assert_eq!(
        texts(&call(servers, "echo", json!({"text": "hi"})).await),
        ["hi"]
    );
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("cancelled");
    let (output, mut shown) = OutputSink::channel(16);
    let cancel = CancellationToken::new();
    let cx = CallContext {
        output,
        cancel: cancel.clone(),
        ..context()
    };
    let interrupt = async {
        assert_eq!(shown.recv().await.unwrap(), "[1/1] step 1\n");
        cancel.cancel();
    };
    let steps = tool(servers, "steps");
    let arguments = json!({"steps": 1, "cancelled": file});
    let (outcome, ()) = tokio::join!(call_in(&steps, arguments, cx), interrupt);
    assert!(matches!(outcome, Err(ToolError::Cancelled)), "{outcome:?}");
    until("the server knows", async || file.exists()).await;
    let mut changes = servers.changes();
    changes.mark_unchanged();
    call(servers, "grow", json!({})).await;
    tokio::time::timeout(DEADLINE, changes.changed())
        .await
        .unwrap()
        .unwrap();
    assert!(names(servers).contains(&"grown".to_owned()));
}

/// Where the messages of a session go.
type Sessions =
    Arc<Mutex<HashMap<String, Arc<tokio::sync::Mutex<tokio::io::WriteHalf<DuplexStream>>>>>>;

/// A server of the older kind, around the same tools.
async fn sse(address: SocketAddr) -> Web {
    sse_with(address, Sessions::default()).await
}

async fn sse_with(address: SocketAddr, sessions: Sessions) -> Web {
    let stop = CancellationToken::new();
    let router = Router::new()
        .route("/sse", get(open))
        .route("/messages", post(message))
        .with_state((sessions, stop.clone()));
    Web::serve(router, address, stop).await
}

async fn open(State((sessions, stop)): State<(Sessions, CancellationToken)>) -> Response {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (said, told) = tokio::io::split(ours);
    let id = uuid::Uuid::new_v4().to_string();
    sessions
        .lock()
        .insert(id.clone(), Arc::new(tokio::sync::Mutex::new(told)));
    let running = AbortOnDropHandle::new(tokio::spawn(async move {
        TestServer::default()
            .serve(theirs)
            .await
            .unwrap()
            .waiting()
            .await
            .unwrap();
    }));
    let first = format!(": welcome\n\nevent: endpoint\ndata: /messages?session={id}\n\n");
    let lines = (BufReader::new(said).lines(), Some(first), stop, running);
    let events = futures_util::stream::unfold(
        lines,
        |(mut lines, first, stop, running)| async move {
            let event = if let Some(first) = first {
                first
            } else {
                tokio::select! {
                    () = stop.cancelled() => return None,
                    line = lines.next_line() => format!("event: message\ndata: {}\n\n", line.unwrap()?),
                }
            };
            Some((
                Ok::<_, std::io::Error>(Bytes::from(event)),
                (lines, None, stop, running),
            ))
        },
    );
    (
        [("content-type", "text/event-stream")],
        Body::from_stream(events),
    )
        .into_response()
}

async fn message(
    State((sessions, _)): State<(Sessions, CancellationToken)>,
    Query(query): Query<HashMap<String, String>>,
    body: Bytes,
) -> StatusCode {
    let Some(told) = sessions.lock().get(&query["session"]).cloned() else {
        return StatusCode::NOT_FOUND;
    };
    let mut told = told.lock().await;
    told.write_all(&body).await.unwrap();
    told.write_all(b"\n").await.unwrap();
    StatusCode::ACCEPTED
}

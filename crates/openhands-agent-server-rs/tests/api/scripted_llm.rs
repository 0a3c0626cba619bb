//! A provider of models that answers from a script, over real HTTP.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

/// A request that came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) authorization: Option<String>,
    pub(crate) body: Value,
}

/// A provider on a free port.
pub(crate) struct ScriptedLlm {
    address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    _task: AbortOnDropHandle<()>,
}

impl ScriptedLlm {
    pub(crate) async fn start() -> Self {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let router = Router::new()
            .route("/v1/chat/completions", post(answer))
            .route("/refusing/{status}/chat/completions", post(refuse))
            .with_state(Arc::clone(&asked));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            address,
            asked,
            _task: AbortOnDropHandle::new(task),
        }
    }

    /// Where it answers.
    pub(crate) fn url(&self) -> String {
        format!("{}/v1", self.address)
    }

    /// Where it answers with an error.
    pub(crate) fn refusing(&self, status: u16) -> String {
        format!("{}/refusing/{status}", self.address)
    }

    /// What it was asked.
    pub(crate) fn requests(&self) -> Vec<Asked> {
        self.asked.lock().clone()
    }
}

type Log = State<Arc<Mutex<Vec<Asked>>>>;

fn note(log: &Log, headers: &HeaderMap, body: &Bytes) -> Asked {
    let authorization = headers.get(header::AUTHORIZATION);
    let asked = Asked {
        authorization: authorization.map(|value| value.to_str().unwrap().to_owned()),
        body: serde_json::from_slice(body).unwrap(),
    };
    log.lock().push(asked.clone());
    asked
}

async fn answer(log: Log, headers: HeaderMap, body: Bytes) -> Response {
    let asked = note(&log, &headers, &body);
    let usage = json!({"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 6});
    if asked.body["stream"] != true {
        let message = json!({"role": "assistant", "content": "All done."});
        let answer = json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "mock",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage});
        return axum::Json(answer).into_response();
    }
    let chunk = |choices: Value, usage: Value| {
        let chunk = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "mock",
            "choices": choices, "usage": usage});
        format!("data: {chunk}\n\n")
    };
    let said = json!([{"index": 0, "delta": {"role": "assistant", "content": "All done."}, "finish_reason": null}]);
    let end = json!([{"index": 0, "delta": {}, "finish_reason": "stop"}]);
    let text = [
        chunk(said, Value::Null),
        chunk(end, Value::Null),
        chunk(json!([]), usage),
    ]
    .concat();
    let headers = [(header::CONTENT_TYPE, "text/event-stream")];
    (headers, format!("{text}data: [DONE]\n\n")).into_response()
}

async fn refuse(log: Log, Path(status): Path<u16>, headers: HeaderMap, body: Bytes) -> Response {
    let asked = note(&log, &headers, &body);
    let said = format!("refused, with {}", asked.authorization.unwrap_or_default());
    let error = json!({"error": {"message": said, "type": "error", "code": null}});
    (StatusCode::from_u16(status).unwrap(), axum::Json(error)).into_response()
}

//! The language model: a server of chat completions that answers at once, from a script for each conversation.
//!
//! It runs on a thread of its own and does not look into what it is asked, so that it is never what is waited for. The
//! script is named by the first part of the path, which is a part of the address that the conversation is given.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use parking_lot::Mutex;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::moments::{Moment, Noting};

type Scripts = Arc<Mutex<HashMap<String, Arc<Script>>>>;

/// The model's server.
#[derive(Debug)]
pub(crate) struct Model {
    port: u16,
    scripts: Scripts,
}

impl Model {
    /// Starts it on a thread of its own, which ends with the program.
    pub(crate) fn start() -> anyhow::Result<Self> {
        let scripts = Scripts::default();
        let router = Router::new()
            .route("/{script}/chat/completions", post(complete))
            .with_state(Arc::clone(&scripts))
            .into_make_service_with_connect_info::<Moment>();
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        std::thread::Builder::new()
            .name("model".to_owned())
            .spawn(move || {
                runtime.block_on(async {
                    let listener = Noting(TcpListener::from_std(listener)?);
                    axum::serve(listener, router).await
                })
            })?;
        Ok(Self { port, scripts })
    }

    /// A script, and the address at which a conversation finds it.
    pub(crate) fn script(&self) -> (Arc<Script>, String) {
        let name = uuid::Uuid::new_v4().simple().to_string();
        let url = format!("http://127.0.0.1:{}/{name}", self.port);
        let script = Arc::new(Script::new());
        self.scripts.lock().insert(name, Arc::clone(&script));
        (script, url)
    }
}

async fn complete(
    State(scripts): State<Scripts>,
    Path(name): Path<String>,
    ConnectInfo(moment): ConnectInfo<Moment>,
    body: Body,
) -> Response {
    let script = scripts.lock().get(&name).cloned();
    let Some(script) = script else {
        return axum::http::StatusCode::NOT_FOUND.into_response();
    };
    if to_bytes(body, usize::MAX).await.is_err() {
        return axum::http::StatusCode::BAD_REQUEST.into_response();
    }
    let arrived = moment.take().unwrap_or_else(Instant::now);
    ([(CONTENT_TYPE, "application/json")], script.answer(arrived)).into_response()
}

/// What the model does when it is asked.
#[derive(Debug, Clone)]
pub(crate) enum Turn {
    /// Runs this command.
    Terminal(String),
    /// Replaces a word in this file, there and back: it must hold `one` at first.
    Edit(PathBuf),
}

/// The answers of one conversation, and when they were asked for.
#[derive(Debug)]
pub(crate) struct Script {
    scene: Mutex<Scene>,
    ended: watch::Sender<bool>,
}

#[derive(Debug)]
struct Scene {
    turn: Option<Turn>,
    left: usize,
    calls: usize,
    arrivals: Vec<Instant>,
}

impl Script {
    fn new() -> Self {
        Self {
            scene: Mutex::new(Scene {
                turn: None,
                left: 0,
                calls: 0,
                arrivals: Vec::new(),
            }),
            ended: watch::Sender::new(true),
        }
    }

    /// From now on: this turn so many times, then a plain text, which ends the run.
    pub(crate) fn play(&self, turn: Option<Turn>, times: usize) {
        self.ended.send_replace(false);
        let mut scene = self.scene.lock();
        scene.left = if turn.is_some() { times } else { 0 };
        scene.turn = turn;
        scene.arrivals.clear();
    }

    /// The next answer is the text that ends the run.
    pub(crate) fn stop(&self) {
        self.scene.lock().left = 0;
    }

    /// Waits for that text to be asked for.
    pub(crate) async fn ended(&self, limit: Duration) -> anyhow::Result<()> {
        tokio::time::timeout(limit, self.ended.subscribe().wait_for(|ended| *ended))
            .await
            .context("the agent does not ask the model")??;
        Ok(())
    }

    /// When the model was asked since the last [`Self::play`].
    pub(crate) fn arrivals(&self) -> Vec<Instant> {
        self.scene.lock().arrivals.clone()
    }

    fn answer(&self, arrived: Instant) -> String {
        let mut scene = self.scene.lock();
        scene.arrivals.push(arrived);
        scene.calls += 1;
        let number = scene.calls;
        let turn = scene.turn.clone().filter(|_| scene.left > 0);
        let Some(turn) = turn else {
            drop(scene);
            self.ended.send_replace(true);
            return completion(
                number,
                "stop",
                &json!({"role": "assistant", "content": "done"}),
            );
        };
        scene.left -= 1;
        drop(scene);
        let (name, arguments) = turn.call(number);
        completion(
            number,
            "tool_calls",
            &json!({
                "role": "assistant",
                "content": "",
                "tool_calls": [{
                    "id": format!("call_{number}"),
                    "type": "function",
                    "function": {"name": name, "arguments": arguments.to_string()},
                }],
            }),
        )
    }
}

impl Turn {
    fn call(&self, number: usize) -> (&'static str, serde_json::Value) {
        match self {
            Self::Terminal(command) => (
                "terminal",
                json!({"command": command, "security_risk": "LOW", "summary": "run it"}),
            ),
            Self::Edit(file) => {
                // The file says which way: an earlier run may have ended at either word.
                let text = std::fs::read_to_string(file).unwrap_or_default();
                let (old, new) = if text.contains("one") {
                    ("one", "two")
                } else {
                    ("two", "one")
                };
                (
                    "file_editor",
                    json!({"command": "str_replace", "path": file, "old_str": old, "new_str": new,
                        "security_risk": "LOW", "summary": format!("edit {number}")}),
                )
            }
        }
    }
}

fn completion(number: usize, reason: &str, message: &serde_json::Value) -> String {
    json!({
        "id": format!("chatcmpl-{number}"),
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "mock",
        "choices": [{"index": 0, "finish_reason": reason, "message": message}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010},
    })
    .to_string()
}

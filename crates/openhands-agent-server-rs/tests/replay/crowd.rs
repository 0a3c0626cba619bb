//! Many conversations that run at once on one server, each with work that does not end.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::http::{self, Answer, Request};
use crate::model::Model;
use crate::part::{NONE, Part};
use crate::server::{Places, Server};

static PART: Part = NONE;

/// A server, its model, and its conversations.
#[derive(Debug)]
pub(crate) struct Crowd {
    pub(crate) server: Server,
    pub(crate) conversations: Vec<String>,
    model: Model,
    dir: TempDir,
}

impl Crowd {
    /// As many conversations, at rest.
    pub(crate) async fn new(count: usize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for place in ["ws", "home", "srv", "tmux"] {
            std::fs::create_dir(dir.path().join(place)).unwrap();
        }
        let mut crowd = Self {
            server: start(&dir).await,
            conversations: Vec::new(),
            model: Model::start(&PART).await,
            dir,
        };
        for _ in 0..count {
            crowd.add().await;
        }
        crowd
    }

    async fn add(&mut self) {
        let body = json!({
            "agent": {
                "kind": "Agent",
                "llm": {
                    "model": "openai/mock",
                    "base_url": format!("http://{}/v1", self.model.authority),
                    "api_key": "sk-x",
                    "usage_id": "agent",
                    "num_retries": 0,
                },
                "tools": [],
            },
            "workspace": {"working_dir": self.dir.path().join("ws")},
            "autotitle": false,
            "stuck_detection": false,
            "max_iterations": 1_000_000,
        });
        let created = self.post("/api/conversations", &body).await;
        assert_eq!(created.status, 201, "{}", created.value());
        let id = created.value()["id"].as_str().unwrap().to_owned();
        self.conversations.push(id);
    }

    /// Starts the server anew where the killed one was.
    pub(crate) async fn restart(&mut self) {
        self.server = start(&self.dir).await;
    }

    /// Sends a message, and lets the agent run if it says so.
    pub(crate) async fn say(&self, id: &str, text: &str, run: bool) -> std::io::Result<Answer> {
        let body = json!({"role": "user", "content": [{"type": "text", "text": text}], "run": run});
        let path = format!("/api/conversations/{id}/events");
        http::send(
            &self.server.authority,
            &Request::new("POST", &path).json(&body),
        )
        .await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        http::send(
            &self.server.authority,
            &Request::new("POST", path).json(body),
        )
        .await
        .unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let answer = http::send(&self.server.authority, &Request::new("GET", path)).await;
        answer.unwrap().value()
    }

    /// All events of a conversation, in the order of the log.
    pub(crate) async fn events(&self, id: &str) -> Vec<Value> {
        let mut events = Vec::new();
        let mut page = String::new();
        loop {
            let path = format!("/api/conversations/{id}/events/search?limit=100{page}");
            let found = self.get(&path).await;
            events.extend(found["items"].as_array().unwrap().iter().cloned());
            match found["next_page_id"].as_str() {
                Some(next) => page = format!("&page_id={next}"),
                None => return events,
            }
        }
    }
}

/// A script that thinks and thinks, with so many seconds between two steps.
pub(crate) fn endless(wait: f64) -> String {
    let step = json!({
        "tools": [{"name": "think", "args": {"thought": "on it goes"}}],
        "wait": wait,
        "repeat": true,
    });
    format!("MOCK:{}", json!([step]))
}

async fn start(dir: &TempDir) -> Server {
    let at = |place: &str| dir.path().join(place);
    let places = Places {
        home: &at("home"),
        srv: &at("srv"),
        tmux: &at("tmux"),
    };
    let env = [
        ("OH_SECRET_KEY", "secret"),
        ("OH_MAX_CONCURRENT_RUNS", "1000"),
        ("OH_ENABLE_VSCODE", "false"),
    ];
    let env = env.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Server::start(places, &env).await
}

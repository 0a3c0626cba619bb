//! A server on a free port, with a directory of its own.

use std::path::Path;
use std::sync::Arc;

use openhands_agent_server_rs::{App, Config, Server};
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::Value;
use tempfile::TempDir;

/// A running server and a client of it.
pub(crate) struct World {
    pub(crate) server: Server,
    pub(crate) directory: TempDir,
    pub(crate) client: reqwest::Client,
    key: Option<String>,
}

impl World {
    /// A server on defaults, in a fresh directory.
    pub(crate) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// A server whose settings are changed before it starts.
    pub(crate) async fn with(change: impl FnOnce(&mut Config)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        let home = root.join("home");
        std::fs::create_dir_all(&home).unwrap();
        let mut config = Config {
            conversations_path: root.join("workspace/conversations"),
            bash_events_dir: root.join("workspace/bash_events"),
            conversation_worktree_root: root.join("worktrees"),
            persistence_dir: root.join("home/.openhands"),
            // Nor may each test start the editor that their machine has.
            vscode_program: Some(root.join("no-editor")),
            // Shells must not read the files of whoever runs the tests.
            env: vec![
                ("PATH".to_owned(), std::env::var("PATH").unwrap()),
                ("HOME".to_owned(), home.to_string_lossy().into_owned()),
                // A test that wants a browser asks for it: the others are the same on every machine.
                (
                    "OH_BROWSER_EXECUTABLE".to_owned(),
                    root.join("no-browser").to_string_lossy().into_owned(),
                ),
            ],
            ..Config::default()
        };
        // Nothing is fetched over the network.
        config.surroundings.extensions_path = Some(root.join("no-extensions"));
        change(&mut config);
        let key = config.session_api_keys.first().cloned();
        let server = Box::pin(Server::start(config, "127.0.0.1", 0))
            .await
            .unwrap();
        Self {
            server,
            directory,
            client: reqwest::Client::new(),
            key,
        }
    }

    /// Starts a conversation that works in a directory, and gives its id.
    pub(crate) async fn converse_in(&self, directory: &Path) -> String {
        let request = serde_json::json!({
            "workspace": {"working_dir": directory},
            "agent": {"llm": {"model": "openai/scripted", "api_key": "sk-secret"}, "tools": []},
        });
        let (status, info) = self.post("/api/conversations", &request).await;
        assert_eq!(status, 201, "{info}");
        info["id"].as_str().unwrap().to_owned()
    }

    /// Ends the server and starts another one on the same settings.
    pub(crate) async fn restart(&mut self) {
        let config = self.app().config().as_ref().clone();
        let next = Box::pin(Server::start(config, "127.0.0.1", 0));
        // The old one first gives up what it owns.
        self.app().stop().await;
        self.server = next.await.unwrap();
    }

    /// What the server holds.
    pub(crate) fn app(&self) -> &Arc<App> {
        self.server.app().unwrap()
    }

    /// The same, with other settings.
    pub(crate) async fn restart_with(&mut self, change: impl FnOnce(&mut Config)) {
        let mut config = self.app().config().as_ref().clone();
        change(&mut config);
        self.app().stop().await;
        self.server = Box::pin(Server::start(config, "127.0.0.1", 0))
            .await
            .unwrap();
    }

    /// The directory of the test.
    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The address of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.server.address)
    }

    /// A request with the session key, if there is one.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, self.url(path));
        match &self.key {
            Some(key) => request.header("X-Session-API-Key", key),
            None => request,
        }
    }

    /// `GET`, as status and JSON.
    pub(crate) async fn get(&self, path: &str) -> (StatusCode, Value) {
        answer(self.request(Method::GET, path)).await
    }

    /// `POST` of JSON, as status and JSON.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        answer(self.request(Method::POST, path).json(body)).await
    }

    /// `PATCH` of JSON, as status and JSON.
    #[allow(dead_code, reason = "for the groups that patch")]
    pub(crate) async fn patch(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        answer(self.request(Method::PATCH, path).json(body)).await
    }

    /// `PUT` of JSON, as status and JSON.
    pub(crate) async fn put(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        answer(self.request(Method::PUT, path).json(body)).await
    }

    /// `DELETE`, as status and JSON.
    #[allow(dead_code, reason = "for the groups that delete")]
    pub(crate) async fn delete(&self, path: &str) -> (StatusCode, Value) {
        answer(self.request(Method::DELETE, path)).await
    }
}

/// Sends a request; what is no JSON is null.
pub(crate) async fn answer(request: RequestBuilder) -> (StatusCode, Value) {
    let response = request.send().await.unwrap();
    let status = response.status();
    let body = response.bytes().await.unwrap();
    (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
}

//! An outer server as a process of its own, with a model, a workspace and containers.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::docker;
use crate::model::{Answer, Model};

/// The key of the outer server.
pub(crate) const KEY: &str = "the-outer-session-key";
/// The key of the language model, which no container may see.
pub(crate) const MODEL_KEY: &str = "sk-key-of-the-language-model-4711";
/// Nothing here takes longer, however busy the machine is.
const LIMIT: Duration = Duration::from_mins(2);

/// An outer server with its surroundings.
pub(crate) struct World {
    pub(crate) directory: TempDir,
    pub(crate) model: Model,
    pub(crate) client: reqwest::Client,
    pub(crate) url: String,
    env: Vec<(String, String)>,
    child: Option<Child>,
}

impl World {
    /// A server whose conversations work in containers; none if there is no engine.
    pub(crate) async fn start() -> Option<Self> {
        Self::with(&[("RUNTIME_ENV", "docker")]).await
    }

    /// The same with other variables.
    pub(crate) async fn with(env: &[(&str, &str)]) -> Option<Self> {
        let image = docker::image()?;
        let directory = tempfile::tempdir().unwrap();
        for name in ["home", "srv", "project"] {
            std::fs::create_dir(directory.path().join(name)).unwrap();
        }
        let mut all = vec![("OH_CONVERSATION_IMAGE".to_owned(), image)];
        all.extend(
            env.iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
        );
        let mut world = Self {
            directory,
            model: Model::start().await,
            client: reqwest::Client::builder().no_proxy().build().unwrap(),
            url: String::new(),
            env: all,
            child: None,
        };
        world.launch().await;
        Some(world)
    }

    /// Starts the server, after it was killed for instance.
    pub(crate) async fn launch(&mut self) {
        let root = self.directory.path();
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let log = std::fs::File::options()
            .create(true)
            .append(true)
            .open(root.join("srv/server.log"))
            .unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_openhands-agent-server"));
        command
            .args(["--host", "127.0.0.1", "--port", &port.to_string()])
            .current_dir(root.join("srv"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", root.join("home"))
            .env("LLM_API_KEY", MODEL_KEY)
            .env("OH_SESSION_API_KEYS_0", KEY)
            .env("OH_ENABLE_VSCODE", "false")
            .env("EXTENSIONS_PATH", root.join("no-extensions"))
            .env("OH_CONVERSATION_WORKTREE_ROOT", root.join("worktrees"))
            .envs(std::env::var("DOCKER_HOST").map(|host| ("DOCKER_HOST", host)))
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        self.child = Some(command.spawn().unwrap());
        self.url = format!("http://127.0.0.1:{port}");
        let url = format!("{}/health", self.url);
        self.until("the server answers", async || {
            self.client
                .get(&url)
                .send()
                .await
                .is_ok_and(|answer| answer.status() == 200)
        })
        .await;
    }

    /// Kills the server at once.
    pub(crate) fn kill(&mut self) {
        let mut child = self.child.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Asks the server to end and waits for it.
    pub(crate) fn stop(&mut self) {
        let Some(mut child) = self.child.take() else {
            return;
        };
        let _ = Command::new("kill").arg(child.id().to_string()).status();
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(20) {
            if child.try_wait().unwrap().is_some() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = child.kill();
        let _ = child.wait();
    }

    /// The directory that conversations work in.
    pub(crate) fn project(&self) -> PathBuf {
        self.directory
            .path()
            .join("project")
            .canonicalize()
            .unwrap()
    }

    /// What the server logged.
    pub(crate) fn log(&self) -> String {
        let log = std::fs::read_to_string(self.directory.path().join("srv/server.log"));
        log.unwrap_or_default()
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client
            .request(method, format!("{}{path}", self.url))
            .header("x-session-api-key", KEY)
    }

    /// Sends a request and gives status and body.
    pub(crate) async fn send(&self, request: RequestBuilder) -> (u16, Value) {
        let answer = request.timeout(LIMIT).send().await.unwrap();
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap();
        (
            status,
            serde_json::from_str(&text).unwrap_or(Value::String(text)),
        )
    }

    pub(crate) async fn get(&self, path: &str) -> (u16, Value) {
        self.send(self.request(Method::GET, path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.send(self.request(Method::POST, path).json(body)).await
    }

    /// What a conversation is started with.
    pub(crate) fn start_request(&self) -> Value {
        json!({
            "workspace": {"working_dir": self.project()},
            "autotitle": false,
            "agent": {
                "llm": {"model": "openai/scripted", "base_url": self.model.url, "num_retries": 0},
                "tools": [{"name": "terminal"}, {"name": "file_editor"}, {"name": "task_tracker"}],
            },
        })
    }

    /// Starts a conversation, and gives its id.
    pub(crate) async fn converse(&self) -> String {
        self.converse_as(&self.start_request()).await
    }

    pub(crate) async fn converse_as(&self, request: &Value) -> String {
        let (status, info) = self.post("/api/conversations", request).await;
        assert_eq!(status, 201, "{info}\n{}", self.log());
        info["id"].as_str().unwrap().to_owned()
    }

    /// Has the model do something, and waits until it rests.
    pub(crate) async fn act(
        &self,
        id: &str,
        answers: impl IntoIterator<Item = Answer>,
    ) -> Vec<Value> {
        let before = self.events(id).await.len();
        self.say(id, answers).await;
        let status = self.rest(id).await;
        let events = self.events(id).await;
        assert!(status != "error", "{events:#?}\n{}", self.log());
        events.into_iter().skip(before).collect()
    }

    /// Has the model begin to do something.
    pub(crate) async fn say(&self, id: &str, answers: impl IntoIterator<Item = Answer>) {
        self.model.will(answers);
        let message =
            json!({"role": "user", "content": [{"type": "text", "text": "Go."}], "run": true});
        let (status, said) = self
            .post(&format!("/api/conversations/{id}/events"), &message)
            .await;
        assert_eq!(status, 200, "{said}\n{}", self.log());
    }

    /// Waits until a conversation does nothing any more, and gives its status.
    pub(crate) async fn rest(&self, id: &str) -> String {
        let path = format!("/api/conversations/{id}");
        self.until("the conversation rests", async || {
            let (_, info) = self.get(&path).await;
            !matches!(info["execution_status"].as_str(), Some("running") | None)
        })
        .await;
        let (_, info) = self.get(&path).await;
        info["execution_status"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn events(&self, id: &str) -> Vec<Value> {
        let (status, page) = self
            .get(&format!("/api/conversations/{id}/events/search?limit=100"))
            .await;
        assert_eq!(status, 200, "{page}");
        page["items"].as_array().unwrap().clone()
    }

    /// The name under which the server owns containers.
    pub(crate) fn owner(&self) -> String {
        let kept = self
            .directory
            .path()
            .join("srv/workspace/conversations/.sandbox-owner");
        std::fs::read_to_string(kept).unwrap_or_default()
    }

    /// The containers of this server.
    pub(crate) fn containers(&self) -> Vec<String> {
        let owner = self.owner();
        if owner.is_empty() {
            return Vec::new();
        }
        docker::with_label(&format!("dev.openhands.owner={owner}"))
    }

    /// The one container of this server.
    pub(crate) fn container(&self) -> String {
        let mut found = self.containers();
        assert_eq!(found.len(), 1, "{found:?}\n{}", self.log());
        found.remove(0)
    }

    /// Waits until something is so.
    pub(crate) async fn until(&self, what: &str, mut is_so: impl AsyncFnMut() -> bool) {
        let began = Instant::now();
        while !is_so().await {
            assert!(
                began.elapsed() < LIMIT,
                "not in time: {what}\n{}",
                self.log()
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Runs a command by the bash route of a conversation, and gives what it printed.
    pub(crate) async fn bash(&self, id: &str, command: &str) -> String {
        let path = format!("/api/conversations/{id}/bash/execute_bash_command");
        let (status, output) = self.post(&path, &json!({"command": command})).await;
        assert_eq!(status, 200, "{output}\n{}", self.log());
        output["stdout"].as_str().unwrap_or_default().to_owned()
    }
}

/// The text of the observations among events.
pub(crate) fn observed(events: &[Value]) -> Vec<String> {
    events
        .iter()
        .filter(|event| event["kind"] == "ObservationEvent")
        .map(|event| {
            let content = event["observation"]["content"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            content
                .iter()
                .filter_map(|part| part["text"].as_str())
                .collect()
        })
        .collect()
}

/// Reads a file of the workspace.
pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

impl Drop for World {
    fn drop(&mut self) {
        self.stop();
        for container in self.containers() {
            docker::succeeds(&["rm", "-f", &container]);
        }
    }
}

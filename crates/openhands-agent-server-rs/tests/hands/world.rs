//! A server in this process, and runtimes that use it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use openhands_agent_server_rs::{Config, Server};
use openhands_protocol::tool::{Action, Observation, Tool};
use openhands_protocol::{ConversationId, Secret, ToolCallId};
use openhands_sdk_rs::runtime::{Endpoint, RemoteRequest, RemoteRuntime, Runtime as _};
use openhands_sdk_rs::tools::{CallContext, Place, Registry, ToolError};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) const KEY: &str = "the-key";
/// How long anything may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A running server with a directory of its own.
pub(crate) struct World {
    pub(crate) server: Server,
    pub(crate) directory: TempDir,
}

impl World {
    pub(crate) async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        for name in ["home", "work"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        let config = Config {
            session_api_keys: vec![KEY.to_owned()],
            conversations_path: root.join("conversations"),
            bash_events_dir: root.join("bash_events"),
            workspace_path: root.join("work"),
            persistence_dir: root.join("home/.openhands"),
            vscode_program: Some(root.join("no-editor")),
            env: env(root),
            ..Config::default()
        };
        let server = Box::pin(Server::start(config, "127.0.0.1", 0));
        Self {
            server: server.await.unwrap(),
            directory,
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.server.address)
    }

    /// Where tools work.
    pub(crate) fn work(&self) -> PathBuf {
        self.directory.path().join("work")
    }

    /// A runtime of a conversation of its own.
    pub(crate) fn runtime(&self) -> RemoteRuntime {
        self.runtime_of(ConversationId::random())
    }

    pub(crate) fn runtime_of(&self, conversation: ConversationId) -> RemoteRuntime {
        runtime_at(&self.url(), conversation, &self.work())
    }
}

/// The environment of commands: the same on every machine.
pub(crate) fn env(root: &Path) -> Vec<(String, String)> {
    let path = |name: &str| root.join(name).to_string_lossy().into_owned();
    vec![
        ("PATH".to_owned(), std::env::var("PATH").unwrap()),
        ("HOME".to_owned(), path("home")),
        ("OH_BROWSER_EXECUTABLE".to_owned(), path("no-browser")),
    ]
}

/// A runtime that uses the server at an address.
pub(crate) fn runtime_at(url: &str, conversation: ConversationId, work: &Path) -> RemoteRuntime {
    let endpoint = Endpoint {
        url: url.to_owned(),
        key: Secret::new(KEY),
    };
    RemoteRuntime::new(Arc::new(endpoint), request(conversation, work))
}

pub(crate) fn request(conversation: ConversationId, work: &Path) -> RemoteRequest {
    RemoteRequest {
        conversation,
        root: conversation,
        tools: tools(),
        place: Place {
            working_dir: work.to_owned(),
            persistence_dir: None,
        },
        env: Vec::new(),
    }
}

/// The tools that need nothing but files and a shell.
pub(crate) fn tools() -> Vec<Tool> {
    [
        "terminal",
        "file_editor",
        "planning_file_editor",
        "task_tracker",
        "read_file",
        "write_file",
        "edit",
        "list_directory",
        "apply_patch",
        "glob",
        "grep",
    ]
    .map(Tool::new)
    .into()
}

/// The action of a call with these arguments.
pub(crate) fn action(tool: &str, work: &Path, arguments: &Value) -> Action {
    let place = Place {
        working_dir: work.to_owned(),
        persistence_dir: None,
    };
    let definitions = Registry::standard().definitions(&tools(), &place).unwrap();
    let definition = definitions.get(tool).unwrap();
    definition.decode(arguments.as_object().unwrap()).unwrap()
}

pub(crate) fn context() -> CallContext {
    CallContext::detached(ToolCallId::new("call_1"), ConversationId::random())
}

/// Runs a command, and gives what it printed.
pub(crate) async fn run(runtime: &RemoteRuntime, command: &str) -> String {
    observe(runtime, command, context()).await.unwrap().text()
}

/// Runs a command in a context.
pub(crate) async fn observe(
    runtime: &RemoteRuntime,
    command: &str,
    cx: CallContext,
) -> Result<Observation, ToolError> {
    let action = action(
        "terminal",
        Path::new("/"),
        &serde_json::json!({"command": command}),
    );
    tokio::time::timeout(PATIENCE, runtime.execute("terminal", action, cx))
        .await
        .expect("an answer in time")
}

/// Waits until something is so.
pub(crate) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what} in time");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The processes whose arguments hold a text.
pub(crate) fn processes_with(text: &str) -> Vec<u32> {
    let own = std::process::id();
    std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|id| *id != own)
        .filter(|id| {
            let arguments = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&arguments).contains(text)
        })
        .collect()
}

/// A number of seconds that no other test sleeps.
pub(crate) fn long_time() -> String {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let next = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    format!("{}{next:03}", 10_000_000 + std::process::id())
}

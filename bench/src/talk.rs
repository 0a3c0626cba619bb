//! One conversation with an agent whose model is scripted.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use bytes::Bytes;
use serde_json::{Value, json};

use crate::http::Connection;
use crate::model::{Model, Script, Turn};
use crate::servers::Server;

/// A run of the Python server with a long history takes minutes.
const RUN_LIMIT: Duration = Duration::from_mins(10);
/// Between two looks at whether a run is over. Nothing is timed meanwhile.
const POLL: Duration = Duration::from_millis(3);

/// A conversation and the script of its model.
#[derive(Debug)]
pub(crate) struct Talk {
    pub(crate) id: String,
    pub(crate) script: Arc<Script>,
    connection: Connection,
}

/// A message as it is sent.
#[derive(Debug)]
pub(crate) struct Message {
    path: String,
    body: Bytes,
}

impl Talk {
    /// A new conversation with a terminal and an editor.
    pub(crate) async fn create(server: &Server, model: &Model) -> anyhow::Result<Self> {
        let (script, url) = model.script();
        let mut connection = server.connect().await?;
        let body = json!({
            "agent": {
                "kind": "Agent",
                "llm": {"model": "openai/mock", "base_url": url, "api_key": "sk-mock", "usage_id": "agent", "num_retries": 0},
                "tools": [{"name": "terminal"}, {"name": "file_editor"}],
            },
            "workspace": {"kind": "LocalWorkspace", "working_dir": server.home.project()},
            // A title would be one more call to the model; the same step again and again would count as stuck.
            "autotitle": false,
            "stuck_detection": false,
            "max_iterations": 1_000_000,
        });
        let made = connection.post("/api/conversations", &body).await?;
        let id = made
            .get("id")
            .and_then(Value::as_str)
            .context("no id")?
            .to_owned();
        Ok(Self {
            id,
            script,
            connection,
        })
    }

    /// The same conversation after a restart of its server.
    pub(crate) async fn again(&mut self, server: &Server) -> anyhow::Result<()> {
        self.connection = server.connect().await?;
        Ok(())
    }

    /// Leaves it alone for a while, without a connection.
    pub(crate) fn hang_up(&mut self) {
        self.connection.close();
    }

    pub(crate) fn path(&self) -> String {
        format!("/api/conversations/{}", self.id)
    }

    /// Posts a message; with `run`, the agent starts.
    pub(crate) async fn say(&mut self, text: &str, run: bool) -> anyhow::Result<()> {
        self.post(self.message(text, run)).await
    }

    /// A message that is ready to be posted.
    pub(crate) fn message(&self, text: &str, run: bool) -> Message {
        let body = json!({"role": "user", "content": [{"type": "text", "text": text}], "run": run});
        Message {
            path: format!("{}/events", self.path()),
            body: body.to_string().into(),
        }
    }

    /// Posts it.
    pub(crate) async fn post(&mut self, message: Message) -> anyhow::Result<()> {
        let Message { path, body } = message;
        let posted = self.connection.post_bytes(&path, "application/json", body);
        posted
            .await?
            .check()
            .with_context(|| format!("POST {path}"))
    }

    /// A run of so many steps: each from question to question of the model.
    pub(crate) async fn run(&mut self, turn: Turn, steps: usize) -> anyhow::Result<Vec<Duration>> {
        self.script.play(Some(turn), steps);
        self.say("go", true).await?;
        self.script.ended(RUN_LIMIT).await?;
        self.rested().await?;
        Ok(intervals(&self.script.arrivals()))
    }

    /// Ends it and all that it has.
    pub(crate) async fn delete(&mut self) -> anyhow::Result<()> {
        let path = self.path();
        let answer = self.connection.delete(&path).await?;
        ensure!(
            answer.status.is_success(),
            "DELETE {path} was answered with {}",
            answer.status
        );
        Ok(())
    }

    /// Waits for the end of a run.
    pub(crate) async fn rested(&mut self) -> anyhow::Result<()> {
        let began = Instant::now();
        while began.elapsed() < RUN_LIMIT {
            match self.status().await?.as_str() {
                "finished" => return Ok(()),
                status @ ("error" | "stuck") => bail!("the run ended with {status}"),
                _ => tokio::time::sleep(POLL).await,
            }
        }
        bail!("the run does not end")
    }

    async fn status(&mut self) -> anyhow::Result<String> {
        let path = self.path();
        let info = self.connection.get(&path).await?.json()?;
        let status = info.get("execution_status").and_then(Value::as_str);
        Ok(status.unwrap_or_default().to_owned())
    }
}

/// From each question to the next.
pub(crate) fn intervals(arrivals: &[Instant]) -> Vec<Duration> {
    arrivals
        .iter()
        .zip(arrivals.iter().skip(1))
        .map(|(one, next)| next.saturating_duration_since(*one))
        .collect()
}

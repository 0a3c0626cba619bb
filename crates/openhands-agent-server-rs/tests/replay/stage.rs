//! Where a recording is played: a server with places of its own, a scripted model, and what both have seen.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::compare::Comparison;
use crate::differences;
use crate::hooks::Hooks;
use crate::http::{self, Answer, Request};
use crate::model::Model;
use crate::part::{self, Part};
use crate::server::{self, Places, Server};

/// The model's address in the recordings, in the order in which they name it.
const MODELS: [&str; 2] = ["127.0.0.1:8812", "127.0.0.1:9000"];

/// A stage with everything on it.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) name: String,
    pub(crate) part: &'static Part,
    pub(crate) server: Server,
    pub(crate) model: Model,
    pub(crate) hooks: Hooks,
    pub(crate) comparison: Comparison,
    env: Vec<(String, String)>,
    /// What a recording names, and where it is.
    names: Vec<(&'static str, PathBuf)>,
    /// All differences so far.
    pub(crate) found: Vec<String>,
    dir: TempDir,
}

impl Stage {
    pub(crate) async fn new(name: &str) -> Self {
        let part = part::of(name);
        let dir = tempfile::tempdir().unwrap();
        let at = |place: &str| {
            let path = dir.path().join(place);
            std::fs::create_dir(&path).unwrap();
            path
        };
        let (ws, home, srv) = (at("ws"), at("home"), at("srv"));
        let is_core = name.starts_with("core/");
        let mut names = vec![
            ("/home/user", home.clone()),
            ("/srv3", at("srv3")),
            ("/srv", srv.clone()),
            ("/scratch", at("scratch")),
            ("/tmux", at("tmux")),
        ];
        if is_core {
            names.push(("<ws>", ws.clone()));
            names.push(("<tmp>", dir.path().to_owned()));
        } else {
            names.push(("/ws", ws.clone()));
        }
        let (model, hooks) = (Model::start(part).await, Hooks::start().await);
        let env: Vec<(String, String)> = part
            .env
            .iter()
            .map(|(name, value)| {
                let value = value
                    .replace("{hooks}", &format!("http://{}", hooks.authority))
                    .replace("{srv}", &srv.display().to_string())
                    .replace("{home}", &home.display().to_string());
                ((*name).to_owned(), value)
            })
            .collect();
        let places = Places {
            home: &home,
            srv: &srv,
            tmux: &dir.path().join("tmux"),
        };
        let server = Server::start(places, &env).await;
        let mut stage = Self {
            name: name.to_owned(),
            part,
            server,
            model,
            hooks,
            comparison: Comparison::new(part.part, differences::of(name)),
            env,
            names,
            found: Vec::new(),
            dir,
        };
        stage.know_places();
        stage
    }

    fn know_places(&mut self) {
        for (name, path) in &self.names {
            self.comparison.place(&path.display().to_string(), name);
        }
        self.comparison.place(&self.model.authority, MODELS[0]);
        self.comparison
            .place(&self.server.authority, "127.0.0.1:8000");
    }

    /// Where a place of the recordings is.
    pub(crate) fn at(&self, name: &str) -> &Path {
        let place = self.names.iter().find(|(known, _)| *known == name);
        &place.expect("a place of the recording").1
    }

    /// Starts the server anew in the same places, after it was killed.
    pub(crate) async fn restart(&mut self) {
        let places = Places {
            home: self.at("/home/user"),
            srv: self.at("/srv"),
            tmux: self.at("/tmux"),
        };
        self.server = Server::start(places, &self.env).await;
        self.comparison
            .place(&self.server.authority, "127.0.0.1:8000");
    }

    /// A text of the recording as it has to be said to our server.
    pub(crate) fn to_ours(&self, recorded: &str) -> String {
        let mut text = self.comparison.to_ours(recorded);
        for (name, path) in &self.names {
            let path = path.display().to_string();
            if name.starts_with('<') {
                text = text.replace(name, &path);
                continue;
            }
            for before in ["/", "\"", ""] {
                // Only where a path begins, and where its first part ends.
                let whole = format!("{before}{name}/");
                if before.is_empty() {
                    if text.starts_with(&whole) || text == *name {
                        text = text.replacen(name, &path, 1);
                    }
                } else {
                    text = text.replace(&whole, &format!("{before}{path}/"));
                }
            }
        }
        for model in MODELS {
            text = text.replace(model, &self.model.authority);
        }
        text
    }

    pub(crate) fn value_to_ours(&self, recorded: &Value) -> Value {
        match recorded {
            Value::String(text) => json!(self.to_ours(text)),
            Value::Array(items) => items.iter().map(|item| self.value_to_ours(item)).collect(),
            Value::Object(members) => members
                .iter()
                .map(|(key, value)| (self.to_ours(key), self.value_to_ours(value)))
                .collect(),
            other => other.clone(),
        }
    }

    pub(crate) async fn send(&self, request: &Request) -> Answer {
        match http::send(&self.server.authority, request).await {
            Ok(answer) => answer,
            Err(error) => panic!(
                "{}: {} {}: {error}\n{}",
                self.name,
                request.method,
                request.path,
                server::log(self.at("/srv"))
            ),
        }
    }

    /// A GET as JSON, with the key of the recording if it has one.
    pub(crate) async fn get(&self, path: &str) -> Value {
        let key = self
            .part
            .headers
            .iter()
            .find(|(_, name, _)| *name == "X-Session-API-Key");
        let mut request = Request::new("GET", path);
        if let Some((_, name, value)) = key.filter(|(.., value)| *value != "bad") {
            request = request.header(name, value);
        }
        self.send(&request).await.value()
    }

    /// Runs the scripts that set the scene for an entry.
    pub(crate) fn set_scene(&mut self, entry: usize) {
        for (at, script) in self.part.scenes {
            if *at == entry {
                self.run(script);
            }
        }
        if entry == 0 {
            for (recorded, command) in self.part.ids {
                let ours = self.run(command);
                self.comparison.pair(recorded, ours.trim());
            }
        }
    }

    pub(crate) fn run(&self, script: &str) -> String {
        let ws = self.dir.path().join("ws");
        let output = Command::new("bash")
            .args(["-euc", script])
            .current_dir(ws)
            .env("HOME", self.at("/home/user"))
            .env("SRV", self.at("/srv"))
            .env("SCRATCH", self.at("/scratch"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "user")
            .env("GIT_AUTHOR_EMAIL", "user@example.org")
            .env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
            .env("GIT_COMMITTER_NAME", "user")
            .env("GIT_COMMITTER_EMAIL", "user@example.org")
            .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{script}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Keeps what the comparison found.
    pub(crate) fn note_found(&mut self) {
        let found = self.comparison.take_found();
        self.found.extend(found);
    }

    /// Fails with all differences, and with those of the table that did not show.
    pub(crate) fn end(mut self) {
        self.note_found();
        let stale: Vec<String> = self
            .comparison
            .stale()
            .iter()
            .filter(|known| !known.is_chance())
            .map(|known| format!("stale: {} ({})", known.at, known.why))
            .collect();
        let all: Vec<String> = self.found.drain(..).chain(stale).collect();
        let log = server::log(self.at("/srv"));
        if self.is_with_tmux() {
            let _ = Command::new("tmux")
                .arg("kill-server")
                .env("TMUX_TMPDIR", self.at("/tmux"))
                .output();
        }
        assert!(
            all.is_empty(),
            "{}: {} differences\n  {}\n--- the server's log\n{log}",
            self.name,
            all.len(),
            all.join("\n  ")
        );
    }

    /// The reference keeps its shells in tmux, which does not end with it.
    fn is_with_tmux(&self) -> bool {
        server::is_reference()
    }
}

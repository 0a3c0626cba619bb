//! The browser tools as an agent has them, for one test.

use openhands_protocol::tool::{BrowserObservation, Observation, Tool};
use openhands_protocol::{ConversationId, JsonObject, ToolCallId};
use openhands_tools::{CallContext, Definitions, Machine, Place, Registry, ToolError, ToolSet};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

/// How long a test waits for what must happen.
pub(crate) const SOON: Duration = Duration::from_secs(30);

pub(crate) struct Desk {
    definitions: Definitions,
    pub(crate) tools: ToolSet,
    pub(crate) workspace: TempDir,
    pub(crate) kept: TempDir,
}

impl Desk {
    /// The tools, or none where there is no Chromium; in CI there must be one.
    pub(crate) fn new() -> Option<Self> {
        Self::with(&json!({}))
    }

    /// The tools with parameters.
    pub(crate) fn with(params: &Value) -> Option<Self> {
        let workspace = tempfile::tempdir().unwrap();
        let kept = tempfile::tempdir().unwrap();
        let env: Vec<(String, String)> = std::env::vars()
            .filter(|(name, _)| !name.to_lowercase().ends_with("_proxy") && name != "HOME")
            .chain([("HOME".to_owned(), workspace.path().display().to_string())])
            .collect();
        if !openhands_tools::browser::tool::is_usable(env.clone()) {
            assert!(
                std::env::var_os("CI").is_none_or(|ci| ci != "true"),
                "there is no Chromium, and nothing may be skipped here"
            );
            println!("skipped: no chromium");
            return None;
        }
        let machine = Machine {
            place: Place {
                working_dir: workspace.path().canonicalize().unwrap(),
                persistence_dir: Some(kept.path().to_path_buf()),
            },
            env,
            ..Machine::default()
        };
        let wanted = [Tool {
            params: JsonObject::from(params.as_object().unwrap().clone()),
            ..Tool::new("browser_tool_set")
        }];
        let registry = Registry::standard();
        Some(Self {
            definitions: registry.definitions(&wanted, &machine.place).unwrap(),
            tools: registry.executors(&wanted, &machine).unwrap(),
            workspace,
            kept,
        })
    }

    pub(crate) fn context() -> CallContext {
        CallContext::detached(ToolCallId::from("call"), ConversationId::random())
    }

    pub(crate) async fn call_with(
        &self,
        tool: &str,
        arguments: Value,
        cx: CallContext,
    ) -> Result<BrowserObservation, ToolError> {
        let name = format!("browser_{tool}");
        let definition = self.definitions.get(&name).unwrap();
        let action = definition.decode(arguments.as_object().unwrap()).unwrap();
        match self.tools.execute(&name, action, cx).await? {
            Observation::Browser(observation) => Ok(observation),
            other => panic!("{other:?}"),
        }
    }

    /// What the tool `browser_<tool>` answers.
    pub(crate) async fn observe(&self, tool: &str, arguments: Value) -> BrowserObservation {
        self.call_with(tool, arguments, Self::context())
            .await
            .unwrap()
    }

    /// Its text; the call must not fail.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> String {
        let seen = self.observe(tool, arguments).await;
        let text = Observation::Browser(seen.clone()).text();
        assert!(!seen.is_error, "{tool}: {text}");
        text
    }

    /// Its text; the call must fail.
    pub(crate) async fn fail(&self, tool: &str, arguments: Value) -> String {
        let seen = self.observe(tool, arguments).await;
        let text = Observation::Browser(seen.clone()).text();
        assert!(seen.is_error, "{tool}: {text}");
        text
    }

    pub(crate) async fn open(&self, url: &str) {
        let text = self.call("navigate", json!({"url": url})).await;
        assert!(text.starts_with(&format!("Navigated to: {url}")), "{text}");
    }

    pub(crate) async fn state(&self) -> Value {
        serde_json::from_str(&self.call("get_state", json!({})).await).unwrap()
    }

    /// The number of the element whose text, label or placeholder is this.
    pub(crate) async fn index(&self, name: &str) -> i64 {
        let state = self.state().await;
        index_in(&state, name).unwrap_or_else(|| panic!("no element '{name}' in {state:#}"))
    }

    pub(crate) async fn click(&self, name: &str) -> String {
        let index = self.index(name).await;
        self.call("click", json!({"index": index})).await
    }

    pub(crate) async fn fill(&self, name: &str, text: &str) -> String {
        let index = self.index(name).await;
        self.call("type", json!({"index": index, "text": text}))
            .await
    }

    /// The readable part of the page.
    pub(crate) async fn page(&self) -> String {
        let text = self.call("get_content", json!({})).await;
        let (_, rest) = text.split_once("<webpage_content>\n").unwrap();
        let (content, _) = rest.split_once("\n</webpage_content>").unwrap();
        content.to_owned()
    }

    /// Waits until the page says something.
    pub(crate) async fn until_page_says(&self, words: &str) {
        let deadline = Instant::now() + SOON;
        loop {
            let page = self.page().await;
            if page.contains(words) {
                return;
            }
            assert!(Instant::now() < deadline, "no '{words}' in {page}");
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// The process of this desk's browser: the one with its home.
    fn browser(&self) -> Option<i32> {
        let home = format!("HOME={}\0", self.workspace.path().display());
        let contains = |bytes: Vec<u8>, text: &str| String::from_utf8_lossy(&bytes).contains(text);
        std::fs::read_dir("/proc").unwrap().find_map(|entry| {
            let process = entry.ok()?.path();
            let pid = process.file_name()?.to_str()?.parse().ok()?;
            let command = std::fs::read(process.join("cmdline")).ok()?;
            let environment = std::fs::read(process.join("environ")).ok()?;
            let is_main = !contains(command.clone(), "--type=")
                && contains(command, "--remote-debugging-pipe");
            (is_main && contains(environment, &home)).then_some(pid)
        })
    }

    pub(crate) fn has_browser(&self) -> bool {
        self.browser().is_some()
    }

    /// Kills the browser, as the system does when memory runs out.
    pub(crate) async fn kill_browser(&self) {
        let deadline = Instant::now() + SOON;
        let mut killed = 0;
        while let Some(pid) = self.browser() {
            let pid = rustix::process::Pid::from_raw(pid).unwrap();
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            killed += 1;
            assert!(Instant::now() < deadline, "the browser does not end");
            sleep(Duration::from_millis(20)).await;
        }
        assert!(killed > 0, "there was no browser");
    }

    pub(crate) fn observations(&self) -> PathBuf {
        self.kept.path().join("observations")
    }
}

/// The number of an element by its text, label or placeholder.
pub(crate) fn index_in(state: &Value, name: &str) -> Option<i64> {
    let elements = state["interactive_elements"].as_array().unwrap();
    let found = elements.iter().find(|element| {
        ["text", "label", "placeholder"]
            .iter()
            .any(|key| element.get(*key).is_some_and(|value| value == name))
    });
    found?["index"].as_i64()
}

/// An element of a state by its text, label or placeholder.
pub(crate) fn element<'a>(state: &'a Value, name: &str) -> &'a Value {
    let index = index_in(state, name).unwrap_or_else(|| panic!("no element '{name}' in {state:#}"));
    let elements = state["interactive_elements"].as_array().unwrap();
    elements
        .iter()
        .find(|element| element["index"] == index)
        .unwrap()
}

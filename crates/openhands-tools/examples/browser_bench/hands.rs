//! Our side: the browser tools, called as an agent calls them.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use openhands_protocol::tool::{
    Action, BrowserClickAction, BrowserGetStateAction, BrowserNavigateAction, BrowserTypeAction,
    Observation, Tool,
};
use openhands_tools::{CallContext, Machine, Place, Registry, ToolSet};
use serde_json::Value;

#[derive(Debug)]
pub(crate) struct Hands {
    tools: ToolSet,
}

impl Hands {
    /// Tools in this directory, with this browser whatever the environment says.
    pub(crate) fn new(directory: &Path, chromium: &Path) -> anyhow::Result<Self> {
        let machine = Machine {
            place: Place {
                working_dir: directory.to_owned(),
                persistence_dir: None,
            },
            env: std::env::vars().collect(),
            ..Machine::default()
        };
        let executable = chromium
            .to_str()
            .context("the path of Chromium is no text")?;
        let params = serde_json::Map::from_iter([("executable".to_owned(), executable.into())]);
        let wanted = Tool {
            name: "browser_tool_set".to_owned(),
            params: params.into(),
            ..Tool::default()
        };
        let tools = Registry::standard().executors(&[wanted], &machine)?;
        Ok(Self { tools })
    }

    async fn call(&self, tool: &str, action: Action) -> anyhow::Result<(Duration, String, bool)> {
        let cx = CallContext::detached(
            "call".to_owned().into(),
            openhands_protocol::ConversationId::random(),
        );
        let began = Instant::now();
        let observation = self.tools.execute(tool, action, cx).await?;
        let took = began.elapsed();
        let Observation::Browser(browser) = observation else {
            bail!("{tool} gave something else");
        };
        let text = serde_json::to_value(&browser)?;
        let said = text["content"][0]["text"].as_str().unwrap_or_default();
        if browser.is_error {
            bail!("{tool}: {said}");
        }
        Ok((took, said.to_owned(), browser.screenshot_data.is_some()))
    }

    pub(crate) async fn navigate(&self, url: &str) -> anyhow::Result<Duration> {
        let action = BrowserNavigateAction {
            url: url.to_owned(),
            ..BrowserNavigateAction::default()
        };
        let (took, ..) = self
            .call("browser_navigate", Action::BrowserNavigate(action))
            .await?;
        Ok(took)
    }

    /// The state as the model reads it.
    pub(crate) async fn state(&self, picture: bool) -> anyhow::Result<(Duration, String)> {
        let action = BrowserGetStateAction {
            include_screenshot: picture,
            ..BrowserGetStateAction::default()
        };
        let (took, text, has_picture) = self
            .call("browser_get_state", Action::BrowserGetState(action))
            .await?;
        if has_picture != picture {
            bail!("there is no picture in the state, or one too many");
        }
        Ok((took, text))
    }

    /// The number of the first element whose JSON holds these words.
    pub(crate) fn index(state: &str, words: &str) -> anyhow::Result<i64> {
        let state: Value = serde_json::from_str(state)?;
        state["interactive_elements"]
            .as_array()
            .context("no elements")?
            .iter()
            .find(|element| element.to_string().contains(words))
            .and_then(|element| element["index"].as_i64())
            .with_context(|| format!("no element with {words}"))
    }

    pub(crate) async fn click(&self, index: i64) -> anyhow::Result<Duration> {
        let action = BrowserClickAction {
            index,
            ..BrowserClickAction::default()
        };
        Ok(self
            .call("browser_click", Action::BrowserClick(action))
            .await?
            .0)
    }

    pub(crate) async fn type_text(&self, index: i64, text: &str) -> anyhow::Result<Duration> {
        let action = BrowserTypeAction {
            index,
            text: text.to_owned(),
            ..BrowserTypeAction::default()
        };
        Ok(self
            .call("browser_type", Action::BrowserType(action))
            .await?
            .0)
    }

    pub(crate) async fn close(&self) {
        self.tools.close().await;
    }
}

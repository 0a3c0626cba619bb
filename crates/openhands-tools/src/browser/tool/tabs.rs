//! The tabs of the window.

use super::hands::Hands;
use crate::browser::{BrowserError, Tab};
use serde_json::json;

/// How many characters of a tab's id name it.
const ID_CHARS: usize = 4;

impl Hands {
    /// Every tab with its short id, address and title.
    pub(super) async fn list_tabs(&self) -> Result<String, BrowserError> {
        let titles = self.names_of_tabs().await?;
        let tabs = self.browser.tabs().await?;
        let listed: Vec<_> = tabs
            .iter()
            .map(|tab| {
                let title = titles.get(tab.target_id()).cloned().unwrap_or_default();
                json!({"tab_id": short_id(tab.target_id()), "url": tab.url(), "title": title})
            })
            .collect();
        Ok(serde_json::to_string_pretty(&listed).unwrap_or_default())
    }

    /// Shows another tab.
    pub(super) async fn switch_tab(&self, id: &str) -> Result<String, BrowserError> {
        let tab = self.tab_with(id).await?;
        self.browser.activate(&tab).await?;
        let shown = self.browser.active().await?;
        Ok(format!("Switched to tab {id}: {}", shown.url()))
    }

    /// Closes a tab.
    pub(super) async fn close_tab(&self, id: &str) -> Result<String, BrowserError> {
        let tab = self.tab_with(id).await?;
        self.browser.close_tab(&tab).await?;
        let shown = self.browser.active().await?;
        Ok(format!("Closed tab # {id}, now on {}", shown.url()))
    }

    async fn tab_with(&self, id: &str) -> Result<Tab, BrowserError> {
        let id = id.trim();
        let tabs = self.browser.tabs().await?;
        let found = tabs
            .into_iter()
            .find(|tab| id.len() >= ID_CHARS && tab.target_id().ends_with(id));
        found.ok_or_else(|| {
            BrowserError::Invalid(format!("No TargetID found ending in tab_id=...{id}"))
        })
    }
}

fn short_id(target: &str) -> &str {
    let start = target.len().saturating_sub(ID_CHARS);
    target.get(start..).unwrap_or(target)
}

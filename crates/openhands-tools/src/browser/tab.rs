//! One tab: its address, its scripts, its picture.

use super::cdp::Cdp;
use super::error::BrowserError;
use super::events::exception_text;
use super::pages::{FileChooser, Pages, TabRecord};
use super::settings::BrowserSettings;
use super::underway::Underway;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How long a page that was just told something gets to begin what it does about it.
const QUIET: Duration = Duration::from_millis(100);

/// How long it may take until another place in the same document is told.
const MOVE: Duration = Duration::from_secs(2);
/// How long it may take until it is told that what a page asked for is a file.
const DOWNLOAD: Duration = Duration::from_millis(500);

/// A tab. Clones stand for the same one.
#[derive(Debug, Clone)]
pub struct Tab {
    pub(super) target: String,
    pub(super) session: String,
    pub(super) cdp: Cdp,
    pub(super) pages: Arc<Pages>,
    pub(super) settings: Arc<BrowserSettings>,
}

/// How an address was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opened {
    /// The page is there, whole.
    Loaded,
    /// The page is there, but goes on loading.
    StillLoading,
    /// It was a file, and is being saved; the page is the one before.
    Download,
}

/// A picture, as `Page.captureScreenshot` gives it.
#[derive(Deserialize)]
struct Captured {
    data: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Evaluated {
    result: RemoteObject,
    #[serde(default)]
    exception_details: Option<Value>,
}

/// What a script gives: a value, or an object that stays in the page.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteObject {
    /// JavaScript's word for its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// A special kind of object: `null`, `node`, `array`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtype: Option<String>,
    /// The value, if it was asked for by value.
    #[serde(default)]
    pub value: Value,
    /// CDP's id of the object that stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Navigating {
    #[serde(default)]
    loader_id: Option<String>,
    #[serde(default)]
    error_text: Option<String>,
    #[serde(default)]
    is_download: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct History {
    current_index: usize,
    entries: Vec<HistoryEntry>,
}

#[derive(Deserialize)]
struct HistoryEntry {
    id: i64,
}

impl Tab {
    /// CDP's id of the tab, which is also that of its main frame.
    pub fn target_id(&self) -> &str {
        &self.target
    }

    /// Where it is.
    pub fn url(&self) -> String {
        self.look(|tab| tab.url.clone()).unwrap_or_default()
    }

    /// Whether it was closed, by us or by the page.
    pub fn is_closed(&self) -> bool {
        self.look(|_| ()).is_none()
    }

    /// The title of its page.
    pub async fn title(&self) -> Result<String, BrowserError> {
        let title = self.evaluate("document.title").await?;
        Ok(title.as_str().unwrap_or_default().to_owned())
    }

    pub(super) fn look<T>(&self, look: impl FnOnce(&TabRecord) -> T) -> Option<T> {
        self.pages.with(|known| known.tab(&self.target).map(look))
    }

    /// Asks the page's own session for something.
    pub async fn call(&self, method: &str, params: Value) -> Result<Value, BrowserError> {
        self.call_as(&self.session, method, params).await
    }

    /// Asks a session of this tab: the page's own, or that of a frame in another process.
    pub async fn call_in(
        &self,
        session: &str,
        method: &str,
        params: Value,
    ) -> Result<Value, BrowserError> {
        self.call_as(session, method, params).await
    }

    /// Asks a session of this tab for something of this form.
    pub async fn call_as<T: DeserializeOwned>(
        &self,
        session: &str,
        method: &str,
        params: Value,
    ) -> Result<T, BrowserError> {
        self.call_within(session, method, params, self.settings.command_timeout)
            .await
    }

    /// The same, with a limit of its own.
    pub async fn call_within<T: DeserializeOwned>(
        &self,
        session: &str,
        method: &str,
        params: Value,
        limit: Duration,
    ) -> Result<T, BrowserError> {
        let call = self.cdp.call_as(Some(session), method, params, limit);
        // A page without a process does not answer any more, and does not refuse either.
        tokio::select! {
            biased;
            answer = call => answer,
            error = self.lost() => Err(error),
        }
    }

    /// Resolves when the tab cannot answer any more.
    async fn lost(&self) -> BrowserError {
        self.pages
            .until(|known| match known.tab(&self.target) {
                None => Some(BrowserError::TabClosed),
                Some(tab) if tab.crashed => Some(BrowserError::Crashed {
                    url: tab.url.clone(),
                }),
                Some(_) => None,
            })
            .await
            .unwrap_or_else(|gone| gone)
    }

    /// The value of an expression in the main frame. Promises are waited for.
    pub async fn evaluate(&self, expression: &str) -> Result<Value, BrowserError> {
        self.evaluate_as(expression).await
    }

    /// The same, as this type.
    pub async fn evaluate_as<T: DeserializeOwned>(
        &self,
        expression: &str,
    ) -> Result<T, BrowserError> {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true});
        let object = self.run_script(&self.session, params).await?;
        of_form(object.value)
    }

    /// Runs `Runtime.evaluate` or, with a function, `Runtime.callFunctionOn`.
    pub(super) async fn run_script(
        &self,
        session: &str,
        params: Value,
    ) -> Result<RemoteObject, BrowserError> {
        let method = if params.get("functionDeclaration").is_some() {
            "Runtime.callFunctionOn"
        } else {
            "Runtime.evaluate"
        };
        let answer: Evaluated = self.call_as(session, method, params).await?;
        match answer.exception_details {
            Some(details) => Err(BrowserError::Script(exception_text(&details))),
            None => Ok(answer.result),
        }
    }

    /// Calls a function (its source) on an object of a page, by value.
    pub async fn call_on(
        &self,
        session: &str,
        object: &str,
        function: &str,
        arguments: &[Value],
    ) -> Result<Value, BrowserError> {
        let arguments: Vec<Value> = arguments
            .iter()
            .map(|value| json!({"value": value}))
            .collect();
        let params = json!({
            "functionDeclaration": function,
            "objectId": object,
            "arguments": arguments,
            "returnByValue": true,
            "awaitPromise": true,
            "userGesture": true,
        });
        Ok(self.run_script(session, params).await?.value)
    }

    /// Opens an address and waits until the page is loaded.
    pub async fn navigate(&self, url: &str) -> Result<Opened, BrowserError> {
        self.navigate_within(url, self.settings.navigation_timeout)
            .await
    }

    /// Opens an address and waits until the page is loaded, or for this long.
    pub async fn navigate_within(
        &self,
        url: &str,
        limit: Duration,
    ) -> Result<Opened, BrowserError> {
        let deadline = Instant::now() + limit;
        let params = json!({"url": url});
        let before = self.look(|tab| tab.moves).unwrap_or_default();
        // Its answer comes with the first byte of the page, which may take as long as the page itself.
        let begun: Navigating = self
            .call_within(&self.session, "Page.navigate", params, limit)
            .await
            .map_err(|error| match error {
                BrowserError::Timeout { limit, .. } => {
                    BrowserError::timeout(format!("Opening {url}"), limit)
                }
                other => other,
            })?;
        if begun.is_download {
            return Ok(Opened::Download);
        }
        if let Some(text) = begun.error_text {
            let url = url.to_owned();
            return Err(BrowserError::Navigation { url, text });
        }
        let Some(loader) = begun.loader_id else {
            // Within the same document; the event that tells the place follows the answer.
            self.pages
                .until_within(MOVE, |known| {
                    let moves = known.tab(&self.target)?.moves;
                    (moves > before).then_some(())
                })
                .await?;
            return Ok(Opened::Loaded);
        };
        self.until_loaded(deadline, |tab| tab.is_loaded(&loader))
            .await
    }

    async fn until_loaded(
        &self,
        deadline: Instant,
        is_loaded: impl Fn(&TabRecord) -> bool,
    ) -> Result<Opened, BrowserError> {
        let ended = self.pages.until(|known| match known.tab(&self.target) {
            None => Some(Err(BrowserError::TabClosed)),
            Some(tab) if tab.crashed => Some(Err(BrowserError::Crashed {
                url: tab.url.clone(),
            })),
            Some(tab) => is_loaded(tab).then_some(Ok(Opened::Loaded)),
        });
        match tokio::time::timeout_at(deadline, ended).await {
            Ok(ended) => ended.flatten(),
            Err(_) => Ok(Opened::StillLoading),
        }
    }

    /// Loads the page again.
    pub async fn reload(&self) -> Result<Opened, BrowserError> {
        let deadline = Instant::now() + self.settings.navigation_timeout;
        let before = self.look(|tab| tab.navigations).unwrap_or_default();
        self.call("Page.reload", json!({})).await?;
        self.until_loaded(deadline, |tab| tab.navigations > before && tab.is_settled())
            .await
    }

    /// Goes back in the tab's history; false if there is nothing to go back to.
    pub async fn go_back(&self) -> Result<bool, BrowserError> {
        self.go(|index| index.checked_sub(1)).await
    }

    /// Goes forward in the tab's history; false if there is nothing to go forward to.
    pub async fn go_forward(&self) -> Result<bool, BrowserError> {
        self.go(|index| index.checked_add(1)).await
    }

    async fn go(&self, to: impl Fn(usize) -> Option<usize>) -> Result<bool, BrowserError> {
        let history: History = self
            .call_as(&self.session, "Page.getNavigationHistory", json!({}))
            .await?;
        let Some(entry) = to(history.current_index).and_then(|index| history.entries.get(index))
        else {
            return Ok(false);
        };
        let deadline = Instant::now() + self.settings.navigation_timeout;
        let (before, address) = self
            .look(|tab| (tab.navigations, tab.url.clone()))
            .ok_or(BrowserError::TabClosed)?;
        self.call("Page.navigateToHistoryEntry", json!({"entryId": entry.id}))
            .await?;
        // Another document, or another place in the same one.
        self.until_loaded(deadline, |tab| {
            (tab.navigations > before || tab.url != address) && tab.is_settled()
        })
        .await?;
        Ok(true)
    }

    /// Waits, after something was done to the page, until what it began since then is over: a navigation, or a turn of its
    /// scripts.
    pub async fn settle(&self, since: &Underway, limit: Duration) {
        let turn = "new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))";
        let deadline = Instant::now() + limit;
        // A page in the background draws nothing, and one that leaves does not answer.
        let _ = timeout(QUIET.min(limit), self.evaluate(turn)).await;
        let _ = self
            .until_loaded(deadline, |tab| since.is_settled(tab))
            .await;
        let is_nothing = |tab: &TabRecord| tab.came_to_nothing && !tab.crashed;
        if self.look(is_nothing).unwrap_or_default() {
            // A file is told a moment after the page has stopped loading.
            let begins = self.pages.until_within(DOWNLOAD, |known| {
                let waits = known.tab(&self.target).is_some_and(is_nothing);
                (!waits).then_some(())
            });
            let _ = begins.await;
            self.pages.with(|known| {
                if let Some(tab) = known.tab_mut(&self.target) {
                    tab.came_to_nothing = false;
                }
            });
        }
    }

    /// Whether the main frame loads, or is about to.
    pub fn is_loading(&self) -> bool {
        self.look(|tab| !tab.is_settled()).unwrap_or_default()
    }

    /// The visible part of the page, as PNG.
    pub async fn screenshot(&self) -> Result<Vec<u8>, BrowserError> {
        let data = self.screenshot_base64().await?;
        BASE64_STANDARD
            .decode(data)
            .map_err(|error| BrowserError::Invalid(format!("the picture cannot be read: {error}")))
    }

    /// The visible part of the page, as PNG in base64.
    pub async fn screenshot_base64(&self) -> Result<String, BrowserError> {
        // A tab behind another one is not drawn, and would be waited for.
        self.call("Page.bringToFront", json!({})).await?;
        let params = json!({"format": "png", "optimizeForSpeed": true});
        let captured: Captured = self
            .call_as(&self.session, "Page.captureScreenshot", params)
            .await?;
        Ok(captured.data)
    }

    /// Puts files into an input of the page.
    pub async fn set_files(
        &self,
        session: &str,
        backend_node_id: i64,
        files: &[String],
    ) -> Result<(), BrowserError> {
        let params = json!({"files": files, "backendNodeId": backend_node_id});
        self.call_in(session, "DOM.setFileInputFiles", params)
            .await?;
        Ok(())
    }

    /// Whether file choosers of the page are given to [`Tab::file_chooser`]. Otherwise they are never shown.
    pub async fn catch_file_choosers(&self, enabled: bool) -> Result<(), BrowserError> {
        self.pages.with(|known| {
            if let Some(tab) = known.tab_mut(&self.target) {
                tab.file_chooser = None;
            }
        });
        let params = json!({"enabled": enabled});
        for session in self.sessions() {
            self.call_in(
                &session,
                "Page.setInterceptFileChooserDialog",
                params.clone(),
            )
            .await?;
        }
        Ok(())
    }

    /// Waits for a file chooser.
    pub async fn file_chooser(&self, limit: Duration) -> Result<FileChooser, BrowserError> {
        self.pages
            .until_within(limit, |known| known.tab(&self.target)?.file_chooser.clone())
            .await?
            .ok_or_else(|| BrowserError::timeout("Waiting for a file chooser", limit))
    }

    /// The page's own session and those of its frames in other processes.
    pub(super) fn sessions(&self) -> Vec<String> {
        self.look(|tab| {
            std::iter::once(tab.session.clone())
                .chain(tab.children.iter().map(|(session, _)| session.clone()))
                .collect()
        })
        .unwrap_or_default()
    }
}

/// A script's value as the type that is expected of it.
pub(super) fn of_form<T: DeserializeOwned>(value: Value) -> Result<T, BrowserError> {
    serde_json::from_value(value)
        .map_err(|error| BrowserError::Script(format!("the script gave something else: {error}")))
}

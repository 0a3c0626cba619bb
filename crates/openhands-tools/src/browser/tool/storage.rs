//! Cookies, and what pages keep in the browser.

use super::hands::Hands;
use crate::browser::{BrowserError, Frame, Tab};
use futures_util::future::join_all;
use openhands_protocol::JsonObject;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::time::Duration;

const READ: &str = include_str!("storage.js");
/// How long a page that only exists to be given storage may take.
const VISIT: Duration = Duration::from_secs(10);

/// What an origin keeps.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Kept {
    origin: String,
    local_storage: Vec<Item>,
    session_storage: Vec<Item>,
}

#[derive(Debug, Clone, Deserialize)]
struct Item {
    /// Called `key` by other tools.
    #[serde(alias = "key")]
    name: String,
    value: String,
}

impl Kept {
    fn json(&self) -> Value {
        let mut fields = Map::new();
        fields.insert("origin".to_owned(), self.origin.as_str().into());
        for (name, items) in [
            ("localStorage", &self.local_storage),
            ("sessionStorage", &self.session_storage),
        ] {
            if !items.is_empty() {
                let items: Vec<Value> = items
                    .iter()
                    .map(|item| json!({"name": item.name, "value": item.value}))
                    .collect();
                fields.insert(name.to_owned(), items.into());
            }
        }
        Value::Object(fields)
    }
}

impl Hands {
    /// All cookies, and the storage of the origins on the page, as JSON.
    pub(super) async fn storage(&self) -> String {
        match self.read_storage().await {
            Ok(state) => serde_json::to_string_pretty(&state).unwrap_or_default(),
            Err(error) => format!("Error getting storage state: {error}"),
        }
    }

    async fn read_storage(&self) -> Result<Value, BrowserError> {
        let cookies = self.browser.call("Storage.getCookies", json!({})).await?;
        let tab = self.browser.active().await?;
        let mut origins: Vec<Kept> = Vec::new();
        for (_, kept) in kept_by_frames(&tab).await? {
            let is_empty = kept.local_storage.is_empty() && kept.session_storage.is_empty();
            if !is_empty && origins.iter().all(|known| known.origin != kept.origin) {
                origins.push(kept);
            }
        }
        let origins: Vec<Value> = origins.iter().map(Kept::json).collect();
        let cookies = cookies.get("cookies").cloned();
        Ok(json!({"cookies": cookies.unwrap_or_else(|| json!([])), "origins": origins}))
    }

    /// Sets cookies and storage.
    pub(super) async fn set_storage(&self, state: &JsonObject) -> String {
        match self.write_storage(state).await {
            Ok(left) if left.is_empty() => "Storage set successfully".to_owned(),
            Ok(left) => format!(
                "Storage set successfully\nThe session storage of {} was not set: it belongs to a tab in which that origin is open.",
                left.join(", ")
            ),
            Err(error) => format!("Error setting storage state: {error}"),
        }
    }

    /// Gives the origins whose session storage has no tab to be in.
    async fn write_storage(&self, state: &JsonObject) -> Result<Vec<String>, BrowserError> {
        let cookies: Vec<Value> = list(state, "cookies")?;
        let origins: Vec<Kept> = list(state, "origins")?;
        if !cookies.is_empty() {
            self.browser
                .call("Storage.setCookies", json!({"cookies": cookies}))
                .await?;
        }
        let origins = origins.into_iter().filter(|kept| !kept.origin.is_empty());
        let origins: Vec<Kept> = origins.collect();
        if origins.is_empty() {
            return Ok(Vec::new());
        }
        let tab = self.browser.active().await?;
        let open = kept_by_frames(&tab).await?;
        let mut left = Vec::new();
        for kept in origins {
            let frame = open.iter().find(|(_, known)| known.origin == kept.origin);
            if let Some((frame, _)) = frame {
                put(&tab, frame, &kept).await?;
                continue;
            }
            if !kept.local_storage.is_empty() {
                self.visit(&kept).await?;
            }
            if !kept.session_storage.is_empty() {
                left.push(kept.origin);
            }
        }
        Ok(left)
    }

    /// Gives local storage to an origin that is not open: in a hidden tab, on an empty page that we answer with.
    async fn visit(&self, kept: &Kept) -> Result<(), BrowserError> {
        let mut paused = self.browser.listen("Fetch.requestPaused").await?;
        let tab = self.browser.hidden_tab().await?;
        let answering = async {
            while let Some(heard) = paused.recv().await {
                let request = heard.params.get("requestId").cloned().unwrap_or_default();
                let answer = json!({
                    "requestId": request,
                    "responseCode": 200,
                    "responseHeaders": [{"name": "Content-Type", "value": "text/html"}],
                    "body": "",
                });
                tab.call_in(&heard.session, "Fetch.fulfillRequest", answer)
                    .await?;
            }
            Ok(())
        };
        let visiting = async {
            tab.call("Fetch.enable", json!({"patterns": [{"urlPattern": "*"}]}))
                .await?;
            tab.navigate_within(&kept.origin, VISIT).await?;
            let frames = tab.frames().await?;
            match frames.first() {
                Some(main) => put(&tab, main, kept).await,
                None => Err(BrowserError::TabClosed),
            }
        };
        tokio::select! {
            done = visiting => done,
            ended = answering => ended,
        }
    }
}

/// The frames of a page and what their origins keep.
async fn kept_by_frames(tab: &Tab) -> Result<Vec<(Frame, Kept)>, BrowserError> {
    let frames = tab.frames().await?;
    let kept = join_all(frames.iter().map(|frame| async {
        let world = tab.isolated_world(&frame.session, &frame.id).await?;
        tab.evaluate_isolated::<Option<Kept>>(&world, READ).await
    }))
    .await;
    let mut found = Vec::new();
    for (frame, kept) in frames.into_iter().zip(kept) {
        match kept {
            Ok(Some(kept)) => found.push((frame, kept)),
            Ok(None) => {}
            Err(error) if frame.parent.is_none() => return Err(error),
            Err(error) => tracing::debug!(%error, "a frame's storage was not read"),
        }
    }
    Ok(found)
}

/// Puts items into the storage of a frame's origin.
async fn put(tab: &Tab, frame: &Frame, kept: &Kept) -> Result<(), BrowserError> {
    let world = tab.isolated_world(&frame.session, &frame.id).await?;
    let pairs = |items: &[Item]| {
        let pairs = items.iter().map(|item| json!([item.name, item.value]));
        Value::from(pairs.collect::<Vec<_>>())
    };
    let (local, session) = (pairs(&kept.local_storage), pairs(&kept.session_storage));
    let script = format!(
        "for (const [name, value] of {local}) localStorage.setItem(name, value); \
         for (const [name, value] of {session}) sessionStorage.setItem(name, value); null"
    );
    tab.evaluate_isolated::<Value>(&world, &script)
        .await
        .map(drop)
}

/// A list of a state; absent is empty.
fn list<T: serde::de::DeserializeOwned>(
    state: &JsonObject,
    name: &str,
) -> Result<Vec<T>, BrowserError> {
    match state.get(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(value) => serde_json::from_value(value.clone())
            .map_err(|error| BrowserError::Invalid(format!("`{name}` cannot be read: {error}"))),
    }
}

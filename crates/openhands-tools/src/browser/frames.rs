//! The frames of a tab, wherever their processes are, and scripts in each of them.

use super::error::BrowserError;
use super::tab::{RemoteObject, Tab, of_form};
use futures_util::future::join_all;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;

/// How long a new frame may take to have a place for scripts.
const WORLD: Duration = Duration::from_secs(2);

/// One frame of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// CDP's id.
    pub id: String,
    /// The session that answers for it.
    pub session: String,
    /// The frame around it.
    pub parent: Option<String>,
    /// Where it is.
    pub url: String,
    /// Whether it is the topmost frame in its process: the page itself, or a frame from another site.
    pub is_local_root: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameTree {
    frame_tree: FrameNode,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameNode {
    frame: FrameInfo,
    #[serde(default)]
    child_frames: Vec<FrameNode>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameInfo {
    id: String,
    #[serde(default)]
    parent_id: Option<String>,
    url: String,
    #[serde(default)]
    url_fragment: String,
}

impl Tab {
    /// Every frame: the main one first, each before those inside of it.
    pub async fn frames(&self) -> Result<Vec<Frame>, BrowserError> {
        let sessions = self.sessions();
        let trees = join_all(
            sessions
                .iter()
                .map(|session| self.call_as::<FrameTree>(session, "Page.getFrameTree", json!({}))),
        )
        .await;
        let mut frames: HashMap<Option<String>, Vec<Frame>> = HashMap::new();
        for (session, tree) in sessions.iter().zip(trees) {
            match tree {
                Ok(tree) => flatten(tree.frame_tree, session, true, &mut frames),
                // A frame of another site may leave while we ask.
                Err(_) if *session != self.session => {}
                Err(error) => return Err(error),
            }
        }
        let mut ordered = Vec::new();
        order(None, &mut frames, &mut ordered);
        // Their parents are gone or unknown: they are shown last rather than lost.
        for (_, rest) in frames {
            ordered.extend(rest);
        }
        Ok(ordered)
    }

    /// The value of an expression in the main world of a frame. Promises are waited for.
    pub async fn evaluate_in(
        &self,
        frame: &Frame,
        expression: &str,
    ) -> Result<Value, BrowserError> {
        self.evaluate_in_as(frame, expression).await
    }

    /// The same, as this type.
    pub async fn evaluate_in_as<T: DeserializeOwned>(
        &self,
        frame: &Frame,
        expression: &str,
    ) -> Result<T, BrowserError> {
        let (session, world) = self.world(frame, WORLD).await?;
        let params = json!({
            "expression": expression,
            "uniqueContextId": world,
            "returnByValue": true,
            "awaitPromise": true,
            "userGesture": true,
        });
        of_form(self.run_script(&session, params).await?.value)
    }

    /// An object of a frame that stays in the page, such as an element.
    pub async fn object_in(
        &self,
        frame: &Frame,
        expression: &str,
    ) -> Result<RemoteObject, BrowserError> {
        let (session, world) = self.world(frame, WORLD).await?;
        let params = json!({
            "expression": expression,
            "uniqueContextId": world,
            "returnByValue": false,
            "userGesture": true,
        });
        self.run_script(&session, params).await
    }

    /// Whether scripts can run in a frame, now or within this time.
    pub async fn has_scripts(&self, frame: &Frame, limit: Duration) -> bool {
        self.world(frame, limit).await.is_ok()
    }

    /// Where the scripts of a frame run.
    async fn world(
        &self,
        frame: &Frame,
        limit: Duration,
    ) -> Result<(String, String), BrowserError> {
        let found = self
            .pages
            .until_within(limit, |known| match known.tab(&self.target) {
                None => Some(None),
                Some(tab) => tab.worlds.get(&frame.id).cloned().map(Some),
            })
            .await?;
        found.flatten().ok_or_else(|| BrowserError::Refused {
            method: "Runtime.evaluate".to_owned(),
            message: format!("Frame with the given id was not found: {}", frame.id),
        })
    }

    /// Where the upper left corner of a process's topmost frame is in the page's view.
    ///
    /// Within one process, Chromium counts from there; a page's own frame begins at zero.
    pub async fn origin_of(
        &self,
        frame: &Frame,
        all: &[Frame],
    ) -> Result<(f64, f64), BrowserError> {
        let mut origin = (0.0, 0.0);
        let mut at = frame;
        loop {
            // Up to the topmost frame of this process.
            while !at.is_local_root {
                let Some(parent) = parent_of(at, all) else {
                    return Ok(origin);
                };
                at = parent;
            }
            let Some(parent) = parent_of(at, all) else {
                return Ok(origin);
            };
            let owner: Value = self
                .call_in(
                    &parent.session,
                    "DOM.getFrameOwner",
                    json!({"frameId": at.id}),
                )
                .await?;
            let node = owner.get("backendNodeId").cloned().unwrap_or_default();
            let model = self
                .call_in(
                    &parent.session,
                    "DOM.getBoxModel",
                    json!({"backendNodeId": node}),
                )
                .await?;
            let corner = |index: usize| {
                model
                    .pointer(&format!("/model/content/{index}"))
                    .and_then(Value::as_f64)
                    .unwrap_or_default()
            };
            origin = (origin.0 + corner(0), origin.1 + corner(1));
            at = parent;
        }
    }
}

fn parent_of<'a>(frame: &Frame, all: &'a [Frame]) -> Option<&'a Frame> {
    let parent = frame.parent.as_deref()?;
    all.iter().find(|other| other.id == parent)
}

fn flatten(
    node: FrameNode,
    session: &str,
    is_local_root: bool,
    frames: &mut HashMap<Option<String>, Vec<Frame>>,
) {
    let FrameInfo {
        id,
        parent_id,
        url,
        url_fragment,
    } = node.frame;
    frames.entry(parent_id.clone()).or_default().push(Frame {
        id,
        session: session.to_owned(),
        parent: parent_id,
        url: url + &url_fragment,
        is_local_root,
    });
    for child in node.child_frames {
        flatten(child, session, false, frames);
    }
}

fn order(
    parent: Option<&str>,
    frames: &mut HashMap<Option<String>, Vec<Frame>>,
    ordered: &mut Vec<Frame>,
) {
    for frame in frames
        .remove(&parent.map(str::to_owned))
        .unwrap_or_default()
    {
        let id = frame.id.clone();
        ordered.push(frame);
        order(Some(&id), frames, ordered);
    }
}

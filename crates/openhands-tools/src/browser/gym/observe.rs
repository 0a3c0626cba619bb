//! What BrowserGym observes of the active page.

use super::axtree::{self, FrameTree};
use super::axtree_text::axtree_text;
use super::mark::{self, Marked, Marks};
use super::page_text;
use super::properties::{self, Properties};
use super::set_of_marks;
use super::snapshot::Snapshot;
use crate::browser::{Browser, BrowserError, Tab};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use futures_util::future::{join_all, join3};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ops::Range;
use std::time::Duration;

/// How often a page is looked at that changes under our eyes.
const MAX_TRIES: usize = 5;
/// How long such a page is left alone.
const PAUSE: Duration = Duration::from_millis(200);

/// The active page of a browser at one moment.
#[derive(Debug, Clone)]
pub struct GymObservation {
    pub url: String,
    /// Where all tabs are, in the order in which they were opened.
    pub open_pages_urls: Vec<String>,
    pub active_page_index: usize,
    /// The visible part of the page, PNG.
    pub screenshot: Vec<u8>,
    /// The same with the boxes and ids of what can be used, PNG.
    pub set_of_marks: Vec<u8>,
    /// The accessibility tree of all frames.
    pub axtree_object: Value,
    pub extra_element_properties: Properties,
    /// Empty if nothing has the focus; none if what has it has no id.
    pub focused_element_bid: Option<String>,
    /// The page as Markdown.
    pub text_content: String,
}

impl GymObservation {
    /// The accessibility tree as text, whole or without what is out of view.
    pub fn axtree_text(&self, visible_only: bool) -> String {
        axtree_text(
            &self.axtree_object,
            &self.extra_element_properties,
            visible_only,
        )
    }

    /// A PNG as an address.
    pub fn data_url(png: &[u8]) -> String {
        format!("data:image/png;base64,{}", BASE64_STANDARD.encode(png))
    }
}

/// Observes the active tab.
pub async fn observe(browser: &Browser) -> Result<GymObservation, BrowserError> {
    let tab = browser.active().await?;
    let (content, screenshot) = content(&tab).await?;
    let tabs = browser.tabs().await?;
    let active = tabs
        .iter()
        .position(|other| other.target_id() == tab.target_id());
    let url = tab.url();
    let open_pages_urls = tabs.iter().map(Tab::url).collect();
    let made = tokio::task::spawn_blocking(move || {
        let properties = properties::of(&content.snapshot);
        let set_of_marks = set_of_marks::drawn(&screenshot, &properties).map_err(|error| {
            BrowserError::Invalid(format!("the picture cannot be read: {error}"))
        })?;
        Ok(GymObservation {
            url,
            open_pages_urls,
            active_page_index: active.unwrap_or_default(),
            screenshot,
            set_of_marks,
            axtree_object: axtree::joined(content.trees, &content.marks.shown()),
            extra_element_properties: properties,
            focused_element_bid: content.marks.focused(),
            text_content: page_text::of(&content.snapshot),
        })
    });
    made.await
        .map_err(|broken| BrowserError::Invalid(format!("the page cannot be shown: {broken}")))?
}

/// The browser's own answers.
struct Content {
    marks: Marks,
    snapshot: Snapshot,
    trees: Vec<FrameTree>,
}

impl Content {
    /// Frames came or went meanwhile.
    fn is_incomplete(&self) -> bool {
        self.marks.is_incomplete || self.trees.len() < self.marks.frames.len()
    }
}

/// The content and the picture of a page, at a moment when it holds still.
async fn content(tab: &Tab) -> Result<(Content, Vec<u8>), BrowserError> {
    for _ in 1..MAX_TRIES {
        match look(tab).await {
            Ok((content, screenshot)) if !content.is_incomplete() => {
                return Ok((content, screenshot));
            }
            Ok(_) => tracing::debug!("a frame came or went while the page was observed"),
            Err(error) if error.is_page_change() => {
                tracing::debug!(%error, "the page changed while it was observed");
            }
            Err(error) => return Err(error),
        }
        tokio::time::sleep(PAUSE).await;
    }
    // It will not hold still: what can be seen must do.
    look(tab).await
}

async fn look(tab: &Tab) -> Result<(Content, Vec<u8>), BrowserError> {
    let marks = mark::mark(tab).await?;
    let (snapshot, trees, screenshot) =
        join3(snapshot(tab, &marks), trees(tab, &marks), tab.screenshot()).await;
    mark::unmark(tab, &marks).await;
    let content = Content {
        snapshot: snapshot?,
        trees: trees?,
        marks,
    };
    Ok((content, screenshot?))
}

/// The documents of all processes that draw a part of the page.
async fn snapshot(tab: &Tab, marks: &Marks) -> Result<Snapshot, BrowserError> {
    let mut roots: Vec<&Marked> = Vec::new();
    for marked in &marks.frames {
        if !roots
            .iter()
            .any(|root| root.frame.session == marked.frame.session)
        {
            roots.push(marked);
        }
    }
    let params = json!({"computedStyles": [], "includeDOMRects": true});
    let taken = roots.iter().map(|root| {
        tab.call_as::<Snapshot>(
            &root.frame.session,
            "DOMSnapshot.captureSnapshot",
            params.clone(),
        )
    });
    let mut taken = roots.iter().zip(join_all(taken).await);
    let mut snapshot = match taken.next() {
        Some((_, page)) => page?,
        None => return Err(BrowserError::TabClosed),
    };
    let sessions: HashMap<&str, &str> = marks
        .frames
        .iter()
        .map(|marked| (marked.frame.id.as_str(), marked.frame.session.as_str()))
        .collect();
    let mut documents: HashMap<&str, Range<usize>> = HashMap::new();
    if let Some(root) = roots.first() {
        documents.insert(&root.frame.session, 0..snapshot.documents.len());
    }
    for (root, other) in taken {
        let around = root
            .frame
            .parent
            .as_deref()
            .and_then(|parent| sessions.get(parent));
        let around = around.and_then(|session| documents.get(session)).cloned();
        // A frame that is gone by now is not missed.
        if let (Some(around), Some(owner), Ok(other)) = (around, root.owner, other)
            && let Some(added) = snapshot.adopt(around, owner, other)
        {
            documents.insert(&root.frame.session, added);
        }
    }
    Ok(snapshot)
}

/// The accessibility trees of all frames: the page first, then the last frame in it with those inside of it, and so on.
async fn trees(tab: &Tab, marks: &Marks) -> Result<Vec<FrameTree>, BrowserError> {
    #[derive(Deserialize)]
    struct Answer {
        nodes: Vec<Value>,
    }
    let page = marks
        .frames
        .first()
        .map(|marked| marked.frame.session.as_str());
    let mut ordered: Vec<&Marked> = Vec::new();
    let mut waiting: Vec<&Marked> = marks.frames.iter().take(1).collect();
    while let Some(marked) = waiting.pop() {
        ordered.push(marked);
        let id = Some(marked.frame.id.as_str());
        waiting.extend(
            marks
                .frames
                .iter()
                .filter(|inner| inner.frame.parent.as_deref() == id),
        );
    }
    let answers = ordered.iter().map(|marked| {
        let params = json!({"frameId": marked.frame.id});
        tab.call_as::<Answer>(&marked.frame.session, "Accessibility.getFullAXTree", params)
    });
    let mut trees = Vec::new();
    for (marked, answer) in ordered.iter().zip(join_all(answers).await) {
        let nodes = match answer {
            Ok(answer) => answer.nodes,
            // A frame that is gone by now is not missed.
            Err(BrowserError::Refused { .. }) if marked.owner.is_some() => continue,
            Err(error) => return Err(error),
        };
        let is_elsewhere = Some(marked.frame.session.as_str()) != page;
        trees.push(FrameTree {
            frame: marked.frame.id.clone(),
            prefix: is_elsewhere.then(|| format!("{}-", marked.frame.id)),
            nodes,
        });
    }
    Ok(trees)
}

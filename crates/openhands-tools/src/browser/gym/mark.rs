//! Ids for the elements of all frames of a page.

use crate::browser::{BrowserError, Frame, Tab};
use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::json;
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::timeout;

const MARK: &str = include_str!("mark.js");
const WATCH: &str = include_str!("watch.js");
const UNMARK: &str = include_str!("unmark.js");
/// Resolves when the frame's document is read to its end.
const LOADED: &str = "document.readyState !== 'loading' || \
    new Promise(done => document.addEventListener('DOMContentLoaded', () => done(true), { once: true }))";

/// How long a document may be read before it is taken as it is.
const LOADING: Duration = Duration::from_secs(3);
/// How long a frame may take to tell what of it is in view.
const WATCHING: Duration = Duration::from_millis(1500);
/// How long a frame may take to be ready for scripts; some never are, such as one that loads only when it comes into view.
const NEW_FRAME: Duration = Duration::from_millis(250);

/// A frame, and what is known of the element that shows it.
#[derive(Debug, Clone)]
pub(super) struct Marked {
    pub(super) frame: Frame,
    /// The element in the frame around it, by its backend id.
    pub(super) owner: Option<i64>,
    /// The element's id, which all ids in the frame begin with. Empty for the page itself.
    pub(super) bid: String,
    /// None if its elements have no ids.
    pub(super) focus: Option<Focus>,
}

impl Marked {
    fn with_focus(&self) -> Option<(&Self, &Focus)> {
        let focus = self.focus.as_ref().filter(|focus| focus.has_focus)?;
        Some((self, focus))
    }
}

/// The focused element of a frame.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Focus {
    has_focus: bool,
    focused: Option<String>,
}

/// The page's frames with their elements marked, each before those inside of it.
#[derive(Debug)]
pub(super) struct Marks {
    pub(super) frames: Vec<Marked>,
    /// Frames came up or went away meanwhile: those that came have no ids.
    pub(super) is_incomplete: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Owner {
    backend_node_id: i64,
}

#[derive(Deserialize)]
struct Described {
    node: Element,
}

#[derive(Deserialize)]
struct Element {
    #[serde(default)]
    attributes: Vec<String>,
}

impl Element {
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.chunks_exact(2).find_map(|pair| match pair {
            [known, value] if known == name => Some(value.as_str()),
            _ => None,
        })
    }

    /// Whether scripts may run in the frame that it shows.
    fn allows_scripts(&self) -> bool {
        self.attribute("sandbox").is_none_or(|sandbox| {
            sandbox
                .split_ascii_whitespace()
                .any(|word| word == "allow-scripts")
        })
    }
}

/// Marks all elements, frame by frame from the outside in.
pub(super) async fn mark(tab: &Tab) -> Result<Marks, BrowserError> {
    let frames = tab.frames().await?;
    let mut marks = Marks {
        frames: Vec::new(),
        is_incomplete: false,
    };
    let mut level: Vec<Marked> = frames
        .iter()
        .filter(|frame| frame.parent.is_none())
        .map(|frame| Marked {
            frame: frame.clone(),
            owner: None,
            bid: String::new(),
            focus: None,
        })
        .collect();
    while !level.is_empty() {
        marks.is_incomplete |= !mark_frames(tab, &mut level).await?;
        let inside = level.iter().flat_map(|outer| {
            let inner = frames
                .iter()
                .filter(|frame| frame.parent.as_ref() == Some(&outer.frame.id));
            inner.map(move |frame| shown_by(tab, outer, frame))
        });
        let inside = join_all(inside).await;
        marks.frames.append(&mut level);
        for found in inside {
            match found {
                Ok(Some(marked)) => level.push(marked),
                Ok(None) | Err(BrowserError::Refused { .. }) => marks.is_incomplete = true,
                Err(error) => return Err(error),
            }
        }
    }
    Ok(marks)
}

/// Marks those frames in which scripts may run and whose elements have an id to begin theirs with. Says whether all of
/// them were still there.
async fn mark_frames(tab: &Tab, frames: &mut [Marked]) -> Result<bool, BrowserError> {
    let marked = join_all(frames.iter().map(|marked| mark_frame(tab, marked))).await;
    let mut are_there = true;
    for (frame, focus) in frames.iter_mut().zip(marked) {
        frame.focus = match focus {
            Ok(focus) => focus,
            // A frame's own trouble is not the page's.
            Err(BrowserError::Script(error)) if frame.owner.is_some() => {
                tracing::debug!(%error, "a frame cannot be marked");
                None
            }
            Err(error) if frame.owner.is_some() && error.is_page_change() => {
                are_there = false;
                None
            }
            Err(error) => return Err(error),
        };
    }
    Ok(are_there)
}

async fn mark_frame(tab: &Tab, marked: &Marked) -> Result<Option<Focus>, BrowserError> {
    let frame = &marked.frame;
    let is_page = marked.owner.is_none();
    if !is_page && (marked.bid.is_empty() || !tab.has_scripts(frame, NEW_FRAME).await) {
        return Ok(None);
    }
    let script = |as_it_is: bool| format!("({MARK})({}, {as_it_is})", json!(marked.bid));
    let mut focus: Option<Focus> = tab.evaluate_in_as(frame, &script(false)).await?;
    if focus.is_none() {
        // Where scripts are forbidden the end of loading is not told, and a page may never end.
        let _ = timeout(LOADING, tab.evaluate_in(frame, LOADED)).await;
        focus = tab.evaluate_in_as(frame, &script(true)).await?;
    }
    let _ = timeout(WATCHING, tab.evaluate_in(frame, &format!("({WATCH})()"))).await;
    Ok(focus)
}

/// The element that shows a frame; none if it has no id yet.
async fn shown_by(
    tab: &Tab,
    outer: &Marked,
    frame: &Frame,
) -> Result<Option<Marked>, BrowserError> {
    let session = &outer.frame.session;
    let owner: Owner = tab
        .call_as(session, "DOM.getFrameOwner", json!({"frameId": frame.id}))
        .await?;
    let owner = owner.backend_node_id;
    let described: Described = tab
        .call_as(session, "DOM.describeNode", json!({"backendNodeId": owner}))
        .await?;
    let element = described.node;
    let is_marked = outer.focus.is_some();
    let bid = element.attribute("bid").filter(|_| is_marked);
    if is_marked && bid.is_none() {
        return Ok(None);
    }
    // Only frames are named with letters: what an `object` or an `embed` shows (a reader of documents) is left alone.
    let can_be_marked = |bid: &&str| {
        bid.ends_with(|last: char| last.is_ascii_alphabetic()) && element.allows_scripts()
    };
    Ok(Some(Marked {
        frame: frame.clone(),
        owner: Some(owner),
        bid: bid.filter(can_be_marked).unwrap_or_default().to_owned(),
        focus: None,
    }))
}

/// Takes the ids out of the descriptions again; they stay in an attribute of their own.
pub(super) async fn unmark(tab: &Tab, marks: &Marks) {
    let script = format!("({UNMARK})()");
    let marked = marks.frames.iter().filter(|marked| marked.focus.is_some());
    let unmarked = join_all(marked.map(|marked| tab.evaluate_in(&marked.frame, &script))).await;
    for error in unmarked.into_iter().filter_map(Result::err) {
        tracing::debug!(%error, "a frame went away before its marks did");
    }
}

impl Marks {
    /// The id of the focused element, in whichever frame it is. Empty if nothing has the focus; none if it has no id.
    pub(super) fn focused(&self) -> Option<String> {
        let mut found = Some(String::new());
        let mut at = self.frames.first();
        while let Some((marked, focus)) = at.and_then(Marked::with_focus) {
            found.clone_from(&focus.focused);
            let id = Some(&marked.frame.id);
            at = self.frames.iter().find(|inner| {
                inner.frame.parent.as_ref() == id && focus.focused.as_ref() == Some(&inner.bid)
            });
        }
        found
    }

    /// Which frame an element shows, by the frame that it is in and its backend id.
    pub(super) fn shown(&self) -> HashMap<(String, i64), String> {
        let shown = self.frames.iter().filter_map(|marked| {
            let parent = marked.frame.parent.clone()?;
            Some(((parent, marked.owner?), marked.frame.id.clone()))
        });
        shown.collect()
    }
}

//! An element by its id, wherever its frame is.

use serde::Deserialize;
use serde_json::{Value, json};

use super::call_log::CallLog;
use super::failure::failed;
use crate::browser::gym::language::{Exception, Mistake, Point};
use crate::browser::{BrowserError, Frame, Tab};

const FIND: &str = include_str!("find.js");
const SCRIPT: &str = include_str!("element.js");

/// An object of a page: an element, or the element that a frame is in.
#[derive(Debug, Clone)]
struct Node {
    session: String,
    object: String,
}

/// An element of a page.
#[derive(Debug)]
pub(super) struct Element {
    tab: Tab,
    node: Node,
    /// The elements of the frames around it, from the outermost one.
    owners: Vec<Node>,
    /// How messages name it.
    pub(super) locator: String,
}

/// What the script says about an element.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Answer {
    /// The state that it is not in.
    pub(super) missing: Option<String>,
    /// What is in the way, and may be gone later.
    pub(super) retry: Option<String>,
    /// Why it can never be done.
    pub(super) wrong: Option<String>,
    /// Whether it is not part of the page any more.
    pub(super) gone: bool,
    /// Whether text is to be typed now.
    pub(super) typing: bool,
    text: String,
    x: f64,
    y: f64,
}

impl Answer {
    pub(super) fn point(&self) -> Point {
        Point {
            x: self.x,
            y: self.y,
        }
    }

    /// Whether nothing is in the way.
    pub(super) fn is_fine(&self) -> bool {
        self.missing.is_none() && self.retry.is_none() && self.wrong.is_none() && !self.gone
    }

    fn gone() -> Self {
        Self {
            gone: true,
            ..Self::default()
        }
    }
}

impl Element {
    /// The element with this id. The letters at its beginning are the ids of the frames around it.
    pub(super) async fn find(tab: &Tab, bid: &str) -> Result<Self, Mistake> {
        let unknown = || {
            Mistake::new(
                Exception::ValueError,
                format!("Could not find element with bid \"{bid}\""),
            )
        };
        match Self::look_for(tab, bid).await {
            Ok(found) => found.ok_or_else(unknown),
            Err(error) if error.is_page_change() => Err(unknown()),
            Err(error) => Err(failed("Locator.count", &error, &CallLog::default())),
        }
    }

    async fn look_for(tab: &Tab, bid: &str) -> Result<Option<Self>, BrowserError> {
        let frames = tab.frames().await?;
        let Some(mut frame) = frames.first() else {
            return Ok(None);
        };
        let mut owners = Vec::new();
        let mut locator = String::new();
        for owner in frame_bids(bid) {
            let Some(node) = node(tab, frame, owner).await? else {
                return Ok(None);
            };
            let params = json!({"objectId": node.object});
            let described = tab
                .call_in(&node.session, "DOM.describeNode", params)
                .await?;
            let inside = described.pointer("/node/frameId").and_then(Value::as_str);
            let inside = frames
                .iter()
                .find(|frame| Some(frame.id.as_str()) == inside);
            let Some(inside) = inside else {
                return Ok(None);
            };
            frame = inside;
            owners.push(node);
            locator.push_str(&by_id(owner));
            locator.push_str(".locator(\":scope\").content_frame.");
        }
        let found = node(tab, frame, bid).await?;
        Ok(found.map(|node| Self {
            tab: tab.clone(),
            node,
            owners,
            locator: locator + &by_id(bid),
        }))
    }

    /// Whether it is in a frame of the page.
    pub(super) fn is_framed(&self) -> bool {
        !self.owners.is_empty()
    }

    pub(super) async fn ask(&self, verb: &str, argument: Value) -> Result<Answer, BrowserError> {
        ask(&self.tab, &self.node, verb, argument).await
    }

    /// The element in one line.
    pub(super) async fn describe(&self) -> Result<String, BrowserError> {
        Ok(self.ask("describe", Value::Null).await?.text)
    }

    /// Scrolls everything around it until it is seen.
    pub(super) async fn scroll_into_view(&self) -> Result<Answer, BrowserError> {
        let params = json!({"objectId": self.node.object});
        let scrolled = self
            .tab
            .call_in(&self.node.session, "DOM.scrollIntoViewIfNeeded", params)
            .await;
        match scrolled {
            Ok(_) => Ok(Answer::default()),
            Err(BrowserError::Refused { message, .. }) if message.contains("layout object") => {
                Ok(Answer {
                    missing: Some("visible".to_owned()),
                    ..Answer::default()
                })
            }
            Err(BrowserError::Refused { message, .. }) if message.contains("detached") => {
                Ok(Answer::gone())
            }
            Err(error) => gone_or(error),
        }
    }

    /// The place in the page's view of a place in the element's frame, if the frame is not covered there.
    pub(super) async fn in_page(
        &self,
        inside: Point,
    ) -> Result<Result<Point, Answer>, BrowserError> {
        let mut point = inside;
        for owner in self.owners.iter().rev() {
            let corner = ask(&self.tab, owner, "corner", Value::Null).await?;
            if !corner.is_fine() {
                return Ok(Err(corner));
            }
            point.x += corner.x;
            point.y += corner.y;
            let place = json!({"x": point.x, "y": point.y});
            let hit = ask(&self.tab, owner, "hit", place).await?;
            if !hit.is_fine() {
                return Ok(Err(hit));
            }
        }
        Ok(Ok(point))
    }
}

fn by_id(bid: &str) -> String {
    format!("get_by_test_id(\"{bid}\")")
}

async fn node(tab: &Tab, frame: &Frame, bid: &str) -> Result<Option<Node>, BrowserError> {
    let script = FIND.replace("BID", &Value::from(bid).to_string());
    let found = tab.object_in(frame, &script).await?;
    Ok(found.object_id.map(|object| Node {
        session: frame.session.clone(),
        object,
    }))
}

async fn ask(tab: &Tab, node: &Node, verb: &str, argument: Value) -> Result<Answer, BrowserError> {
    let arguments = [verb.into(), argument];
    let answer = tab
        .call_on(&node.session, &node.object, SCRIPT, &arguments)
        .await;
    match answer {
        Ok(answer) => serde_json::from_value(answer)
            .map_err(|error| BrowserError::Script(format!("{verb}: {error}"))),
        Err(error) => gone_or(error),
    }
}

/// A page that has changed has none of its elements any more.
fn gone_or(error: BrowserError) -> Result<Answer, BrowserError> {
    let is_forgotten = matches!(&error, BrowserError::Refused { message, .. } if message.contains("object with given id"));
    if is_forgotten || error.is_page_change() {
        Ok(Answer::gone())
    } else {
        Err(error)
    }
}

/// The ids of the frames around an element, from the outermost one: `a` and `abC` for `abC12`.
fn frame_bids(bid: &str) -> Vec<&str> {
    let mut bids = Vec::new();
    let mut rest = bid.char_indices().peekable();
    let mut end = 0;
    while let Some(inside) = bid.get(end..)
        && !inside.is_empty()
        && !inside.chars().all(char::is_numeric)
    {
        rest.next();
        while rest
            .next_if(|(_, next)| next.is_alphabetic() && next.is_uppercase())
            .is_some()
        {}
        end = rest.peek().map_or(bid.len(), |(place, _)| *place);
        bids.extend(bid.get(..end));
    }
    bids
}

#[cfg(test)]
#[path = "element_tests.rs"]
mod tests;

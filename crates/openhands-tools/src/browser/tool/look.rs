//! What the window shows: its state, and the text of its page.

use super::hands::{Answer, Hands, SETTLE};
use super::picture;
use super::state::{Element, State};
use crate::browser::content::{read, report};
use crate::browser::elements::{Left, Listed, Place, Scan, look, origin_of};
use crate::browser::{BrowserError, Frame, Tab, Underway};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// Pixels above and below the visible part of the page in which frames count as near.
const BAND: f64 = 1000.0;
/// How often a look is tried at a page that goes somewhere else meanwhile.
const TRIES: usize = 3;

impl Hands {
    /// Address, elements and everything else that a model needs to act.
    pub(super) async fn state(&self, with_picture: bool) -> Result<Answer, BrowserError> {
        let (seen, names) = tokio::join!(self.look(), self.names_of_tabs());
        let (tab, seen) = seen?;
        // The browser may have come back meanwhile.
        let names = match names {
            Ok(names) => names,
            Err(_) => self.names_of_tabs().await?,
        };
        let tabs = self.browser.tabs().await?;
        let open: HashSet<String> = tabs.iter().map(|tab| tab.target_id().to_owned()).collect();
        self.numbers.lock().keep_tabs(&open);
        let mut state = State {
            url: tab.url(),
            tabs: tabs
                .iter()
                .map(|tab| {
                    let title = names.get(tab.target_id()).cloned().unwrap_or_default();
                    (tab.url(), title)
                })
                .collect(),
            ..State::default()
        };
        let tokens: HashSet<String> = seen.iter().map(|(_, scan)| scan.token.clone()).collect();
        self.numbers.lock().keep(tab.target_id(), &tokens);
        for (frame, scan) in seen {
            if frame.parent.is_none() {
                state.title.clone_from(&scan.title);
                (state.viewport, state.page, state.scroll) =
                    (scan.viewport, scan.page, scan.scroll);
            } else if let Some(left) = self.far_away(&tab, &frame, &scan, state.viewport).await {
                state.left += left;
                continue;
            }
            state.left += scan.left;
            let elements = scan.elements.into_iter();
            state
                .elements
                .extend(elements.map(|listed| self.element(&tab, &frame, &scan.token, listed)));
        }
        let mut picture = None;
        if with_picture {
            let viewport = self.browser.settings().viewport;
            let (data, size) = picture::take(&tab, viewport).await?;
            state.screenshot = Some(size);
            picture = Some(data);
        }
        state.notes = self.take_notes();
        if tab.is_loading() {
            state.notes.push("The page goes on loading.".to_owned());
        }
        Ok(Answer {
            text: state.text(),
            picture,
        })
    }

    /// Looks at the tab that is shown; again, if it goes to another page while we look.
    async fn look(&self) -> Result<(Tab, Vec<(Frame, Scan)>), BrowserError> {
        let mut tries = 1;
        loop {
            let tab = self.browser.active().await?;
            match look(&tab).await {
                Ok(seen) => return Ok((tab, seen)),
                Err(error) if is_gone(&error) && tries < TRIES => {
                    tries += 1;
                    tab.settle(&Underway::default(), SETTLE).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn element(&self, tab: &Tab, frame: &Frame, token: &str, listed: Listed) -> Element {
        let Listed(number, seen, tag, text, more) = listed;
        let index = self.numbers.lock().of(Place {
            tab: tab.target_id().to_owned(),
            session: frame.session.clone(),
            frame: frame.id.clone(),
            token: token.to_owned(),
            number,
        });
        Element {
            index,
            seen: seen != 0,
            tag,
            text,
            more,
        }
    }

    /// How many elements a frame of another origin has that is far from what is visible; nothing if it is near.
    async fn far_away(
        &self,
        tab: &Tab,
        frame: &Frame,
        scan: &Scan,
        viewport: [f64; 2],
    ) -> Option<Left> {
        let count = scan.elements.len();
        if count == 0 {
            return None;
        }
        let all = tab.frames().await.ok()?;
        let place = origin_of(tab, &frame.id, &all).await;
        let [width, height] = scan.viewport;
        let Ok((x, y)) = place else {
            // A frame that is not shown has no place.
            return Some(Left::default());
        };
        let mut left = Left::default();
        if width <= 0.0 || height <= 0.0 || x >= viewport[0] || x + width <= 0.0 {
            Some(left)
        } else if y > viewport[1] + BAND {
            left.below = count;
            Some(left)
        } else if y + height < -BAND {
            left.above = count;
            Some(left)
        } else {
            None
        }
    }

    /// The titles of all tabs. The browser knows them, and a tab that hangs is not asked.
    pub(super) async fn names_of_tabs(&self) -> Result<HashMap<String, String>, BrowserError> {
        let answer = self.browser.call("Target.getTargets", json!({})).await?;
        let targets = answer.get("targetInfos").and_then(Value::as_array);
        Ok(targets
            .into_iter()
            .flatten()
            .filter_map(|target| {
                let id = target.get("targetId")?.as_str()?;
                let title = target.get("title")?.as_str()?;
                Some((id.to_owned(), title.to_owned()))
            })
            .collect())
    }

    /// A piece of the page's text.
    pub(super) async fn content(&self, links: bool, start: usize) -> Result<String, BrowserError> {
        let mut tries = 1;
        loop {
            let tab = self.browser.active().await?;
            match read(&tab, links).await {
                Ok(page) => return Ok(report(&tab.url(), &page, start)),
                Err(error) if is_gone(&error) && tries < TRIES => {
                    tries += 1;
                    tab.settle(&Underway::default(), SETTLE).await;
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// Whether the page went away while it was looked at; what is in its place can be looked at.
fn is_gone(error: &BrowserError) -> bool {
    error.is_page_change() || matches!(error, BrowserError::Crashed { .. } | BrowserError::Gone)
}

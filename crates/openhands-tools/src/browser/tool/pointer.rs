//! Clicks on elements.

use super::hands::Hands;
use crate::browser::elements::{Aim, Field, Handle, Place};
use crate::browser::{BrowserError, Mouse, Tab};

/// How much of an address an answer repeats.
const ADDRESS_CHARS: usize = 20;
/// Two turns of the page's drawing: by then it shows what was done to it.
pub(super) const TURN: &str =
    "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))";

impl Hands {
    /// Where the element with this number is, if it is in the tab that is shown.
    pub(super) fn place(&self, tab: &Tab, index: i64) -> Option<Place> {
        let numbers = self.numbers.lock();
        let place = numbers.find(index)?;
        (place.tab == tab.target_id()).then(|| place.clone())
    }

    /// Clicks an element.
    pub(super) async fn click(&self, index: i64, new_tab: bool) -> Result<String, BrowserError> {
        let missing = || Ok(not_found(index));
        let tab = self.browser.active().await?;
        let Some(place) = self.place(&tab, index) else {
            return missing();
        };
        let Some(handle) = Handle::find(&tab, &place).await? else {
            return missing();
        };
        let Some(aim) = handle.aim().await? else {
            return missing();
        };
        if aim.off {
            return Err(BrowserError::Invalid(format!(
                "element {index} is disabled"
            )));
        }
        if new_tab && !aim.href.is_empty() {
            return self.open_link(index, &aim.href).await;
        }
        match aim.kind {
            Field::File => {
                return Err(BrowserError::Invalid(format!(
                    "element {index} is a file field: give it files with browser_type, with the path as text"
                )));
            }
            Field::Select => {
                // Its list would open in a window of the system, which nobody sees.
                handle.enter().await?;
                return Ok(format!(
                    "Clicked element {index}\nIt is a selection list: choose an option with browser_type."
                ));
            }
            Field::Text | Field::Editable | Field::Whole | Field::Other => {}
        }
        let answer = if new_tab {
            format!("Clicked element {index} (new tab not supported for non-link elements)")
        } else {
            format!("Clicked element {index}")
        };
        let before = self.browser.underway();
        press(&tab, &place, &handle, aim).await?;
        self.settle(&tab, &before).await?;
        Ok(answer)
    }

    async fn open_link(&self, index: i64, href: &str) -> Result<String, BrowserError> {
        let tab = self.browser.new_tab().await?;
        tab.navigate(href).await?;
        let begin: String = href.chars().take(ADDRESS_CHARS).collect();
        Ok(format!(
            "Clicked element {index} and opened in new tab {begin}..."
        ))
    }
}

/// Clicks with the mouse; by script what the mouse cannot reach.
async fn press(
    tab: &Tab,
    place: &Place,
    handle: &Handle<'_>,
    mut aim: Aim,
) -> Result<(), BrowserError> {
    if place.frame != tab.target_id() {
        // The page around a frame scrolls a moment later than the frame.
        tab.evaluate(TURN).await?;
        if let Some(again) = handle.aim().await? {
            aim = again;
        }
    }
    let (x, y) = handle.origin().await?;
    if aim.free && aim.boxed {
        tab.click(Mouse::at(x + aim.x, y + aim.y)).await
    } else {
        // A click may lead away from the page before it is answered.
        match handle.click().await {
            Err(error) if error.is_page_change() => Ok(()),
            other => other.map(drop),
        }
    }
}

/// The answer to a number that no element has.
pub(super) fn not_found(index: i64) -> String {
    format!("Element with index {index} not found")
}

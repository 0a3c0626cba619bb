//! Actions of the language, done in a real browser.
//!
//! ```text
//!   action ─► element (find.js, element.js) ─► ready: waits and looks ─► hands: mouse and keyboard
//!          └► pages: addresses and tabs     └► call log ─► what failed, as the reference says it
//! ```

mod call_log;
mod devices;
mod element;
mod failure;
mod hands;
mod keyboard;
mod pages;
mod ready;
mod upload;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;

use self::call_log::CallLog;
use self::element::Element;
use self::failure::{failed, said};
use self::hands::Hands;
use self::ready::{Deed, Ready, ready};
use super::language::{self, Action, Click, Exception, Mistake, Point};
use crate::browser::{Browser, BrowserError, Button, Tab};

/// The pause after actions, which is the reference's.
const AFTER_ACTION: Duration = Duration::from_millis(500);
/// What a page that loads gets on top of that.
const AFTER_NAVIGATION: Duration = Duration::from_secs(3);

/// A browser that actions of the language are done in.
#[derive(Debug)]
pub struct Gym {
    browser: Arc<Browser>,
    /// Where relative paths of files begin.
    directory: PathBuf,
    /// What a page gets to do something about an action before it is looked at.
    pause: Duration,
    hands: Hands,
}

impl Gym {
    pub fn new(browser: Arc<Browser>, directory: impl Into<PathBuf>) -> Self {
        Self {
            browser,
            directory: directory.into(),
            pause: AFTER_ACTION,
            hands: Hands::default(),
        }
    }

    /// The same with another pause after actions.
    #[must_use]
    pub fn with_pause(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    /// The browser that actions are done in.
    pub fn browser(&self) -> &Arc<Browser> {
        &self.browser
    }

    /// Does all actions of a text, up to the first one that fails, and waits for what the page does about them.
    pub async fn step(&mut self, text: &str) -> Result<(), Mistake> {
        let calls = language::read(text)?;
        let mut touched = false;
        let mut done = Ok(());
        let tab = self.browser.active().await;
        let mut tab =
            tab.map_err(|error| failed("Browser.new_page", &error, &CallLog::default()))?;
        let before = self.browser.underway();
        for call in calls {
            done = match Action::try_from(call) {
                Ok(action) => {
                    touched |= touches(&action);
                    self.perform(&mut tab, action).await
                }
                Err(mistake) => Err(mistake),
            };
            if done.is_err() {
                break;
            }
        }
        if touched {
            sleep(self.pause).await;
            // What a click opened is active now, and loads.
            if let Ok(tab) = self.browser.active().await {
                tab.settle(&before, AFTER_NAVIGATION).await;
            }
        }
        done
    }

    async fn perform(&mut self, tab: &mut Tab, action: Action) -> Result<(), Mistake> {
        self.hands.of(tab);
        match action {
            Action::Noop { wait } => sleep(wait).await,
            // Whoever sent the action reads it; the browser has nobody to tell.
            Action::SendMsgToUser { .. } | Action::ReportInfeasible { .. } => {}
            Action::GoBack => pages::go_back(tab).await?,
            Action::GoForward => pages::go_forward(tab).await?,
            Action::Goto { url } => pages::goto(tab, &url).await?,
            Action::TabClose => *tab = pages::tab_close(&self.browser, tab).await?,
            Action::TabFocus { index } => *tab = pages::tab_focus(&self.browser, index).await?,
            Action::NewTab => *tab = pages::new_tab(&self.browser).await?,
            Action::Fill { bid, value } => self.fill(tab, &bid, &value).await?,
            Action::Clear { bid } => self.clear(tab, &bid).await?,
            Action::SelectOption { bid, options } => {
                ready(tab, &bid, &Deed::Select(&options)).await?;
            }
            Action::Click { bid, click } => self.click(tab, &bid, &Deed::Click, &click).await?,
            Action::Dblclick { bid, click } => {
                self.click(tab, &bid, &Deed::Dblclick, &click).await?;
            }
            Action::Hover { bid } => self.hover(tab, &bid).await?,
            Action::Press { bid, keys } => self.press(tab, &bid, &keys).await?,
            Action::Focus { bid } => focus(tab, &bid, false, "Locator.focus", None).await?,
            Action::DragAndDrop { from, to } => self.drag_and_drop(tab, &from, &to).await?,
            Action::UploadFile { bid, files } => {
                self.upload(tab, Target::Element(&bid), &files).await?;
            }
            Action::Mouse(action) => self.mouse(tab, action).await?,
            Action::Keyboard(action) => self.keyboard(tab, action).await?,
        }
        Ok(())
    }

    async fn fill(&mut self, tab: &Tab, bid: &str, value: &str) -> Result<(), Mistake> {
        if let Ready::Typing = ready(tab, bid, &Deed::Fill(value)).await? {
            let typed = if value.is_empty() {
                self.hands.press(tab, &["Delete".to_owned()]).await
            } else {
                tab.insert_text(value).await
            };
            typed.map_err(unlogged("Locator.fill"))?;
        }
        Ok(())
    }

    async fn clear(&mut self, tab: &Tab, bid: &str) -> Result<(), Mistake> {
        if let Ready::Typing = ready(tab, bid, &Deed::Clear).await? {
            let pressed = self.hands.press(tab, &["Delete".to_owned()]).await;
            pressed.map_err(unlogged("Locator.clear"))?;
        }
        Ok(())
    }

    async fn click(
        &mut self,
        tab: &Tab,
        bid: &str,
        deed: &Deed<'_>,
        click: &Click,
    ) -> Result<(), Mistake> {
        if let Ready::At(point) = ready(tab, bid, deed).await? {
            let clicks = if matches!(deed, Deed::Dblclick) { 2 } else { 1 };
            let modifiers = &click.modifiers;
            let clicked = self
                .hands
                .click(tab, point, click.button, clicks, modifiers)
                .await;
            clicked.map_err(unlogged("Locator.click"))?;
        }
        Ok(())
    }

    async fn hover(&mut self, tab: &Tab, bid: &str) -> Result<(), Mistake> {
        if let Ready::At(point) = ready(tab, bid, &Deed::Hover).await? {
            let moved = self.hands.move_to(tab, point).await;
            moved.map_err(unlogged("Locator.hover"))?;
        }
        Ok(())
    }

    async fn drag_and_drop(&mut self, tab: &Tab, from: &str, to: &str) -> Result<(), Mistake> {
        self.hover(tab, from).await?;
        let pressed = self.hands.down(&self.browser, tab, Button::Left).await;
        pressed.map_err(unlogged("Mouse.down"))?;
        let moved = self.hover(tab, to).await;
        // A button that stays pressed would make every later move a drag.
        let released = self.hands.up(tab, Button::Left).await;
        moved?;
        released.map_err(unlogged("Mouse.up"))
    }

    async fn press(&mut self, tab: &Tab, bid: &str, keys: &str) -> Result<(), Mistake> {
        let call = format!("elementHandle.press({})", json!(keys));
        focus(tab, bid, true, "Locator.press", Some((keys, call))).await?;
        let names = keyboard::combination(keys).unwrap_or_default();
        let pressed = self.hands.press(tab, &names).await;
        pressed.map_err(unlogged("Locator.press"))
    }

    async fn upload(
        &mut self,
        tab: &Tab,
        target: Target<'_>,
        files: &[String],
    ) -> Result<(), Mistake> {
        let caught = tab.catch_file_choosers(true).await;
        caught.map_err(unlogged("Page.expect_file_chooser"))?;
        let uploaded = async {
            match target {
                Target::Element(bid) => {
                    self.click(tab, bid, &Deed::Click, &Click::default())
                        .await?;
                }
                Target::Place(at) => {
                    let clicked = self.hands.click(tab, at, Button::Left, 1, &[]).await;
                    clicked.map_err(unlogged("Mouse.click"))?;
                }
            }
            upload::choose(tab, files, &self.directory).await
        };
        let uploaded = uploaded.await;
        let _ = tab.catch_file_choosers(false).await;
        uploaded
    }
}

/// Where a click opens a file chooser.
enum Target<'a> {
    Element(&'a str),
    Place(Point),
}

/// Whether the page may do something about it.
fn touches(action: &Action) -> bool {
    !matches!(
        action,
        Action::Noop { .. } | Action::SendMsgToUser { .. } | Action::ReportInfeasible { .. }
    )
}

fn unlogged(method: &str) -> impl Fn(BrowserError) -> Mistake {
    move |error| failed(method, &error, &CallLog::default())
}

/// Gives an element the keyboard, whether it is seen or not. Keys that are to be pressed then are looked up first.
async fn focus(
    tab: &Tab,
    bid: &str,
    fresh: bool,
    method: &str,
    keys: Option<(&str, String)>,
) -> Result<(), Mistake> {
    let element = Element::find(tab, bid).await?;
    let mut log = CallLog::default();
    log.add(format!("waiting for {}", element.locator));
    let focused = async {
        log.add(format!(
            "  locator resolved to {}",
            element.describe().await?
        ));
        if let Some((_, call)) = &keys {
            log.add(call);
        }
        element.ask("focus", json!(fresh)).await
    };
    let focused = focused
        .await
        .map_err(|error| failed(method, &error, &log))?;
    if focused.gone {
        let text = "Element is not attached to the DOM";
        return Err(said(Exception::Error, method, text, &log));
    }
    if let Some((keys, _)) = keys {
        keyboard::combination(keys)
            .map_err(|unknown| said(Exception::Error, method, &unknown, &log))?;
    }
    Ok(())
}

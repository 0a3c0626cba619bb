//! The mouse and the keyboard between actions: where the mouse is, what is held, what is dragged.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;

use crate::browser::gym::language::{Modifier, Point};
use crate::browser::{Browser, BrowserError, Button, Heard, Mouse, Tab, keys};

/// How long Chromium may take to tell of a drag that the page has begun.
const DRAG_BEGINS: Duration = Duration::from_secs(2);
/// Remembers whether the page begins a drag and lets it happen.
const WATCH_DRAG: &str = "\
window.__draggedSince = false; \
window.addEventListener('dragstart', (event) => { \
  setTimeout(() => { window.__draggedSince = !event.defaultPrevented; }, 0); \
}, { capture: true, once: true }); true";
const IS_DRAGGED: &str = "\
new Promise((done) => setTimeout(() => { \
  const dragged = window.__draggedSince === true; delete window.__draggedSince; done(dragged); \
}, 0))";

/// The mouse and the keyboard of one tab.
#[derive(Debug)]
pub(super) struct Hands {
    /// Whose they are.
    tab: String,
    at: Point,
    pressed: Option<Button>,
    /// Names of keys that are held.
    pub(super) held: Vec<String>,
    watch: Option<UnboundedReceiver<Heard>>,
    /// What is dragged, as Chromium describes it.
    dragged: Option<Value>,
}

impl Default for Hands {
    fn default() -> Self {
        Self {
            tab: String::new(),
            at: Point { x: 0.0, y: 0.0 },
            pressed: None,
            held: Vec::new(),
            watch: None,
            dragged: None,
        }
    }
}

impl Hands {
    /// Those of this tab: another tab has a mouse and a keyboard of its own.
    pub(super) fn of(&mut self, tab: &Tab) {
        if self.tab != tab.target_id() {
            *self = Self {
                tab: tab.target_id().to_owned(),
                ..Self::default()
            };
        }
    }

    /// Bits of the keys that are held.
    pub(super) fn bits(&self) -> u32 {
        let held = self.held.iter().filter_map(|name| keys::modifier(name));
        held.fold(0, |bits, bit| bits | bit)
    }

    fn mouse(&self, button: Button) -> Mouse {
        Mouse {
            button,
            held: self.bits(),
            ..Mouse::at(self.at.x, self.at.y)
        }
    }

    pub(super) async fn move_to(&mut self, tab: &Tab, to: Point) -> Result<(), BrowserError> {
        self.at = to;
        if self.dragged.is_some() {
            return self.drag_event(tab, "dragOver").await;
        }
        tab.mouse_move(self.mouse(Button::Left), self.pressed)
            .await?;
        if self.pressed == Some(Button::Left) && self.drag_begins(tab).await? {
            self.drag_event(tab, "dragEnter").await?;
            self.drag_event(tab, "dragOver").await?;
        }
        Ok(())
    }

    pub(super) async fn down(
        &mut self,
        browser: &Browser,
        tab: &Tab,
        button: Button,
    ) -> Result<(), BrowserError> {
        if button == Button::Left {
            // A window would carry what is dragged; without one, we do.
            self.watch = Some(browser.listen("Input.dragIntercepted").await?);
            tab.call("Input.setInterceptDrags", json!({"enabled": true}))
                .await?;
            for frame in tab.frames().await? {
                let _ = tab.evaluate_in(&frame, WATCH_DRAG).await;
            }
        }
        tab.mouse_down(self.mouse(button)).await?;
        self.pressed = Some(button);
        Ok(())
    }

    pub(super) async fn up(&mut self, tab: &Tab, button: Button) -> Result<(), BrowserError> {
        self.pressed = None;
        self.watch = None;
        if self.dragged.is_some() {
            self.drag_event(tab, "dragOver").await?;
            // The page hears of the drop, and not of the button.
            self.drag_event(tab, "drop").await?;
            self.dragged = None;
        } else {
            tab.mouse_up(self.mouse(button)).await?;
        }
        if button == Button::Left {
            tab.call("Input.setInterceptDrags", json!({"enabled": false}))
                .await?;
        }
        Ok(())
    }

    /// Moves there and clicks.
    pub(super) async fn click(
        &mut self,
        tab: &Tab,
        at: Point,
        button: Button,
        clicks: u32,
        modifiers: &[Modifier],
    ) -> Result<(), BrowserError> {
        self.at = at;
        let held = modifiers.iter().map(|modifier| bit(*modifier));
        let held = held.fold(self.bits(), |bits, bit| bits | bit);
        let mouse = Mouse {
            clicks,
            held,
            ..self.mouse(button)
        };
        tab.click(mouse).await
    }

    /// Turns the wheel where the mouse is.
    pub(super) async fn wheel(&self, tab: &Tab, dx: f64, dy: f64) -> Result<(), BrowserError> {
        tab.wheel(self.mouse(Button::Left), dx, dy).await
    }

    /// Whether the page has begun to drag something, which is picked up then.
    async fn drag_begins(&mut self, tab: &Tab) -> Result<bool, BrowserError> {
        let Some(watch) = &mut self.watch else {
            return Ok(false);
        };
        let mut has_begun = false;
        for frame in tab.frames().await? {
            let began = tab.evaluate_in(&frame, IS_DRAGGED).await;
            has_begun |= began.is_ok_and(|began| began == true);
        }
        if has_begun && let Ok(Some(heard)) = timeout(DRAG_BEGINS, watch.recv()).await {
            self.dragged = heard.params.get("data").cloned();
        }
        if self.dragged.is_some() {
            self.watch = None;
        }
        Ok(self.dragged.is_some())
    }

    async fn drag_event(&self, tab: &Tab, kind: &str) -> Result<(), BrowserError> {
        let params = json!({
            "type": kind,
            "x": self.at.x,
            "y": self.at.y,
            "data": self.dragged,
            "modifiers": self.bits(),
        });
        tab.call("Input.dispatchDragEvent", params).await?;
        Ok(())
    }
}

fn bit(modifier: Modifier) -> u32 {
    match modifier {
        Modifier::Alt => keys::ALT,
        Modifier::Control => keys::CONTROL,
        Modifier::Meta => keys::META,
        Modifier::Shift => keys::SHIFT,
    }
}

//! The mouse and the keyboard of a tab.

use super::error::BrowserError;
use super::keys::{self, Key};
use super::tab::Tab;
use futures_util::future::try_join_all;
use serde_json::{Value, json};

/// A button of the mouse.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Button {
    /// The usual one.
    #[default]
    Left,
    /// The wheel.
    Middle,
    /// The one for menus.
    Right,
}

impl Button {
    fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Middle => "middle",
            Self::Right => "right",
        }
    }

    fn bit(self) -> u32 {
        match self {
            Self::Left => 1,
            Self::Right => 2,
            Self::Middle => 4,
        }
    }
}

/// What happens to the mouse, in the coordinates of the page's view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mouse {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
    /// Which button.
    pub button: Button,
    /// The first, second or third click in a row.
    pub clicks: u32,
    /// Keys that are held ([`keys::SHIFT`] and so on).
    pub held: u32,
}

impl Mouse {
    /// The left button at a place.
    pub fn at(x: f64, y: f64) -> Self {
        Self {
            x,
            y,
            button: Button::Left,
            clicks: 1,
            held: 0,
        }
    }
}

impl Tab {
    /// Moves the mouse; `pressed` is the button that is held while it moves.
    pub async fn mouse_move(&self, to: Mouse, pressed: Option<Button>) -> Result<(), BrowserError> {
        let params = json!({
            "type": "mouseMoved", "x": to.x, "y": to.y, "modifiers": to.held,
            "button": pressed.map_or("none", Button::name),
            "buttons": pressed.map_or(0, Button::bit),
        });
        self.mouse_event(params).await
    }

    /// Presses a button.
    pub async fn mouse_down(&self, at: Mouse) -> Result<(), BrowserError> {
        self.mouse_event(button_event("mousePressed", at)).await
    }

    /// Releases a button.
    pub async fn mouse_up(&self, at: Mouse) -> Result<(), BrowserError> {
        self.mouse_event(button_event("mouseReleased", at)).await
    }

    /// Moves there, presses and releases, as often as `clicks` says.
    pub async fn click(&self, at: Mouse) -> Result<(), BrowserError> {
        // All are on their way at once; the browser takes them in order.
        let moved = json!({"type": "mouseMoved", "x": at.x, "y": at.y, "modifiers": at.held});
        let turns = (1..=at.clicks.max(1)).flat_map(|clicks| {
            let turn = Mouse { clicks, ..at };
            [
                button_event("mousePressed", turn),
                button_event("mouseReleased", turn),
            ]
        });
        let events: Vec<Value> = std::iter::once(moved).chain(turns).collect();
        try_join_all(events.into_iter().map(|event| self.mouse_event(event))).await?;
        Ok(())
    }

    /// Turns the wheel over a place.
    pub async fn wheel(&self, at: Mouse, dx: f64, dy: f64) -> Result<(), BrowserError> {
        let params = json!({
            "type": "mouseWheel", "x": at.x, "y": at.y, "modifiers": at.held, "deltaX": dx, "deltaY": dy,
        });
        self.mouse_event(params).await
    }

    async fn mouse_event(&self, params: Value) -> Result<(), BrowserError> {
        self.input("Input.dispatchMouseEvent", params).await
    }

    /// What a page does on a key or a click may be to close itself; then there is no answer, and that is well.
    async fn input(&self, method: &str, params: Value) -> Result<(), BrowserError> {
        match self.call(method, params).await {
            Err(BrowserError::TabClosed) => Ok(()),
            other => other.map(drop),
        }
    }

    /// Presses a key, with others held.
    pub async fn key_down(&self, key: &Key, held: u32, repeat: bool) -> Result<(), BrowserError> {
        self.input("Input.dispatchKeyEvent", key.down(held, repeat))
            .await
    }

    /// Releases a key.
    pub async fn key_up(&self, key: &Key, held: u32) -> Result<(), BrowserError> {
        self.input("Input.dispatchKeyEvent", key.up(held)).await
    }

    /// Presses and releases keys that are held together, such as `Control+Shift+a`.
    pub async fn press(&self, combination: &str) -> Result<(), BrowserError> {
        let events = combination_events(combination)?;
        try_join_all(
            events
                .into_iter()
                .map(|event| self.input("Input.dispatchKeyEvent", event)),
        )
        .await?;
        Ok(())
    }

    /// Types a text key by key; what no key writes is put in as it is.
    pub async fn type_text(&self, text: &str) -> Result<(), BrowserError> {
        let events = text.chars().flat_map(typing_events);
        try_join_all(events.map(|(method, event)| self.input(method, event))).await?;
        Ok(())
    }

    /// Puts a text where the cursor is, at once, as from the clipboard.
    pub async fn insert_text(&self, text: &str) -> Result<(), BrowserError> {
        self.input("Input.insertText", json!({"text": text})).await
    }
}

fn button_event(kind: &str, at: Mouse) -> Value {
    let pressed = if kind == "mousePressed" {
        at.button.bit()
    } else {
        0
    };
    json!({
        "type": kind, "x": at.x, "y": at.y, "modifiers": at.held, "button": at.button.name(),
        "buttons": pressed, "clickCount": at.clicks,
    })
}

fn typing_events(character: char) -> Vec<(&'static str, Value)> {
    let mut buffer = [0; 4];
    let name: &str = character.encode_utf8(&mut buffer);
    match keys::key(name) {
        Some(key) => {
            let held = if keys::needs_shift(character) {
                keys::SHIFT
            } else {
                0
            };
            vec![
                ("Input.dispatchKeyEvent", key.down(held, false)),
                ("Input.dispatchKeyEvent", key.up(held)),
            ]
        }
        None => vec![("Input.insertText", json!({"text": character}))],
    }
}

/// The events of keys that are held together: down in order, up in the opposite order.
fn combination_events(combination: &str) -> Result<Vec<Value>, BrowserError> {
    let names = split(combination);
    let Some((last, before)) = names.split_last() else {
        return Err(BrowserError::Invalid("no key is named".to_owned()));
    };
    let unknown = |name: &str| BrowserError::Invalid(format!("Unknown key: \"{name}\""));
    let mut held = 0;
    let mut down = Vec::new();
    let mut up = Vec::new();
    for name in before {
        let key = keys::key(name).ok_or_else(|| unknown(name))?;
        held |= keys::modifier(name).unwrap_or_default();
        down.push(key.down(held, false));
        up.push(key);
    }
    let mut key = keys::key(last).ok_or_else(|| unknown(last))?;
    if held & keys::SHIFT != 0 {
        key = key.shifted();
    }
    down.push(key.down(held, false));
    down.push(key.up(held));
    for (key, name) in up.into_iter().zip(before).rev() {
        held &= !keys::modifier(name).unwrap_or_default();
        down.push(key.up(held));
    }
    Ok(down)
}

/// The names between plus signs; a plus sign itself is a key, too.
pub(crate) fn split(combination: &str) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    let mut rest = combination;
    while !rest.is_empty() {
        // The first character is part of a name even if it is a plus sign.
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let end = rest
            .get(first..)
            .and_then(|after| after.find('+'))
            .map_or(rest.len(), |at| at + first);
        names.push(rest.get(..end).unwrap_or_default());
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    names
}

#[cfg(test)]
#[path = "input_tests.rs"]
mod tests;

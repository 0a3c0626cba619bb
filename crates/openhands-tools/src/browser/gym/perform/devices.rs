//! Actions of the mouse and the keyboard that name no element.

use super::call_log::CallLog;
use super::failure::said;
use super::{Gym, Target, keyboard, unlogged};
use crate::browser::gym::language::{Exception, KeyboardAction, Mistake, MouseAction};
use crate::browser::{Button, Tab};

impl Gym {
    pub(super) async fn mouse(&mut self, tab: &Tab, action: MouseAction) -> Result<(), Mistake> {
        let (hands, browser) = (&mut self.hands, &self.browser);
        match action {
            MouseAction::Wheel { dx, dy } => {
                let turned = hands.wheel(tab, dx, dy).await;
                turned.map_err(unlogged("Mouse.wheel"))
            }
            MouseAction::Move { to } => {
                let moved = hands.move_to(tab, to).await;
                moved.map_err(unlogged("Mouse.move"))
            }
            MouseAction::Up { at, button } => {
                let moved = hands.move_to(tab, at).await;
                moved.map_err(unlogged("Mouse.move"))?;
                let released = hands.up(tab, button).await;
                released.map_err(unlogged("Mouse.up"))
            }
            MouseAction::Down { at, button } => {
                let moved = hands.move_to(tab, at).await;
                moved.map_err(unlogged("Mouse.move"))?;
                let pressed = hands.down(browser, tab, button).await;
                pressed.map_err(unlogged("Mouse.down"))
            }
            MouseAction::Click { at, button } => {
                let clicked = hands.click(tab, at, button, 1, &[]).await;
                clicked.map_err(unlogged("Mouse.click"))
            }
            MouseAction::Dblclick { at, button } => {
                let clicked = hands.click(tab, at, button, 2, &[]).await;
                clicked.map_err(unlogged("Mouse.dblclick"))
            }
            MouseAction::DragAndDrop { from, to } => {
                let dragged = async {
                    hands.move_to(tab, from).await?;
                    hands.down(browser, tab, Button::Left).await?;
                    hands.move_to(tab, to).await?;
                    hands.up(tab, Button::Left).await
                };
                dragged.await.map_err(unlogged("Mouse.move"))
            }
            MouseAction::UploadFile { at, files } => {
                self.upload(tab, Target::Place(at), &files).await
            }
        }
    }

    pub(super) async fn keyboard(
        &mut self,
        tab: &Tab,
        action: KeyboardAction,
    ) -> Result<(), Mistake> {
        let hands = &mut self.hands;
        match action {
            KeyboardAction::Down { key } => {
                // A combination is not one key.
                keyboard::single(&key).map_err(unknown("Keyboard.down"))?;
                let pressed = hands.key_down(tab, &key).await;
                pressed.map_err(unlogged("Keyboard.down"))
            }
            KeyboardAction::Up { key } => {
                keyboard::single(&key).map_err(unknown("Keyboard.up"))?;
                let released = hands.key_up(tab, &key).await;
                released.map_err(unlogged("Keyboard.up"))
            }
            KeyboardAction::Press { keys } => {
                let names = keyboard::combination(&keys).map_err(unknown("Keyboard.press"))?;
                let pressed = hands.press(tab, &names).await;
                pressed.map_err(unlogged("Keyboard.press"))
            }
            KeyboardAction::Type { text } => {
                let typed = tab.type_text(&text).await;
                typed.map_err(unlogged("Keyboard.type"))
            }
            KeyboardAction::InsertText { text } => {
                let inserted = tab.insert_text(&text).await;
                inserted.map_err(unlogged("Keyboard.insert_text"))
            }
        }
    }
}

/// That no keyboard has a key of that name.
fn unknown(method: &str) -> impl Fn(String) -> Mistake {
    move |text| said(Exception::Error, method, &text, &CallLog::default())
}

//! Keys by their names, one at a time or several together.

use super::hands::Hands;
use crate::browser::keys::{self, Key};
use crate::browser::{BrowserError, Tab};

/// The names between plus signs. A plus sign that nothing stands before is a key itself.
fn names(combination: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut name = String::new();
    for character in combination.chars() {
        if character == '+' && !name.is_empty() {
            names.push(std::mem::take(&mut name));
        } else {
            name.push(character);
        }
    }
    names.push(name);
    names
}

/// The names of a combination, or the one that no key has.
pub(super) fn combination(text: &str) -> Result<Vec<String>, String> {
    let names = names(text);
    match names.iter().find(|name| keys::key(name).is_none()) {
        Some(unknown) => Err(format!("Unknown key: \"{unknown}\"")),
        None => Ok(names),
    }
}

/// Whether there is a key of this name, or that there is none.
pub(super) fn single(name: &str) -> Result<(), String> {
    match keys::key(name) {
        Some(_) => Ok(()),
        None => Err(format!("Unknown key: \"{name}\"")),
    }
}

impl Hands {
    fn key(&self, name: &str) -> Option<Key> {
        let key = keys::key(name)?;
        // A key that is named by what it writes writes that.
        let is_place = name.chars().count() > 1;
        Some(if is_place && self.bits() & keys::SHIFT != 0 {
            key.shifted()
        } else {
            key
        })
    }

    /// Presses a key and holds it.
    pub(super) async fn key_down(&mut self, tab: &Tab, name: &str) -> Result<(), BrowserError> {
        let repeats = self.held.iter().any(|held| held == name);
        if !repeats {
            self.held.push(name.to_owned());
        }
        match self.key(name) {
            Some(key) => tab.key_down(&key, self.bits(), repeats).await,
            None => Ok(()),
        }
    }

    /// Releases a key.
    pub(super) async fn key_up(&mut self, tab: &Tab, name: &str) -> Result<(), BrowserError> {
        let key = self.key(name);
        self.held.retain(|held| held != name);
        match key {
            Some(key) => tab.key_up(&key, self.bits()).await,
            None => Ok(()),
        }
    }

    /// Presses keys one after the other and releases them in the opposite order.
    pub(super) async fn press(&mut self, tab: &Tab, names: &[String]) -> Result<(), BrowserError> {
        for name in names {
            self.key_down(tab, name).await?;
        }
        for name in names.iter().rev() {
            self.key_up(tab, name).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "keyboard_tests.rs"]
mod tests;

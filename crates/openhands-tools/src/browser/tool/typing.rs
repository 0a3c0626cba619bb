//! Text into elements, in the way that each kind of element takes it.

use super::hands::Hands;
use super::pointer::not_found;
use super::sensitive;
use crate::browser::elements::{Entered, Field, Handle};
use crate::browser::{BrowserError, Tab};

/// A text longer than this is put in at once, with only its last characters typed.
const MAX_TYPED_CHARS: usize = 500;

impl Hands {
    /// Replaces what an element contains.
    pub(super) async fn type_into(&self, index: i64, text: &str) -> Result<String, BrowserError> {
        let tab = self.browser.active().await?;
        let Some(place) = self.place(&tab, index) else {
            return Ok(not_found(index));
        };
        let Some(handle) = Handle::find(&tab, &place).await? else {
            return Ok(not_found(index));
        };
        let Some(entered) = handle.enter().await? else {
            return Ok(not_found(index));
        };
        let invalid =
            |problem: String| Err(BrowserError::Invalid(format!("element {index} {problem}")));
        if entered.locked {
            return invalid("cannot be changed: it is disabled or read-only".to_owned());
        }
        let before = self.browser.underway();
        match entered.kind {
            Field::Text | Field::Editable => write(&tab, &entered, text).await?,
            Field::Whole => {
                let Some(value) = handle.set_value(text).await? else {
                    return Ok(not_found(index));
                };
                if value != text {
                    return invalid(format!(
                        "did not take '{text}' and has '{value}' now: it wants a value in the form of its type"
                    ));
                }
            }
            Field::Select => {
                let Some(choice) = handle.choose(text).await? else {
                    return Ok(not_found(index));
                };
                if choice.chosen.is_none() {
                    let options = choice.options.join("', '");
                    return invalid(format!("has no option '{text}'; it has '{options}'"));
                }
            }
            Field::File => give_files(&handle, text).await?,
            Field::Other if entered.focused => tab.type_text(&as_keys(text)).await?,
            Field::Other => return invalid("is nothing to type into".to_owned()),
        }
        self.settle(&tab, &before).await?;
        Ok(sensitive::typed(text, index))
    }
}

/// Types over what is selected.
async fn write(tab: &Tab, entered: &Entered, text: &str) -> Result<(), BrowserError> {
    if text.is_empty() {
        return if entered.full {
            tab.press("Backspace").await
        } else {
            Ok(())
        };
    }
    let count = text.chars().count();
    if count <= MAX_TYPED_CHARS {
        return tab.type_text(&as_keys(text)).await;
    }
    // What is put in at once has its line breaks as they are; the last character is typed so that the page hears of it.
    let head: String = text.chars().take(count - 1).collect();
    let last: String = text.chars().skip(count - 1).collect();
    tab.insert_text(&head).await?;
    tab.type_text(&as_keys(&last)).await
}

/// A line break is the Enter key, once.
fn as_keys(text: &str) -> String {
    text.replace("\r\n", "\n")
}

async fn give_files(handle: &Handle<'_>, text: &str) -> Result<(), BrowserError> {
    let files: Vec<String> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect();
    for file in &files {
        let is_there = tokio::fs::metadata(file)
            .await
            .is_ok_and(|file| file.is_file());
        if !is_there {
            return Err(BrowserError::Invalid(format!(
                "there is no file '{file}'; a whole path is wanted"
            )));
        }
    }
    handle.set_files(&files).await
}

//! What pages complain about: errors on the console, exceptions, parts that do not load.

use super::super::cdp::Event;
use super::super::notes::{Note, shortened};
use super::super::pages::Pages;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// How many words of a message on the console are read.
const MAX_WORDS: usize = 50;

/// Only what kind of message it is: the words of most are not needed, and may be long.
#[derive(Deserialize)]
struct ConsoleKind {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct Console<'a> {
    #[serde(borrow)]
    args: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Word<'a> {
    #[serde(default, borrow)]
    value: Option<&'a RawValue>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    subtype: Option<String>,
}

pub(super) fn console(pages: &Pages, event: &Event<'_>) -> Option<()> {
    let ConsoleKind { kind } = event.params()?;
    if !matches!(kind.as_str(), "error" | "assert") {
        return Some(());
    }
    let Console { args } = event.params()?;
    let words: Vec<String> = args.into_iter().take(MAX_WORDS).filter_map(word).collect();
    let text = shortened(&words.join(" "));
    pages.notes.lock().add(Note::ConsoleError { text });
    Some(())
}

/// The beginning of one argument of a message.
fn word(argument: &RawValue) -> Option<String> {
    let word: Word<'_> = serde_json::from_str(argument.get()).ok()?;
    match word.value {
        Some(value) => match serde_json::from_str::<Cow<'_, str>>(value.get()) {
            Ok(text) => Some(shortened(&text)),
            Err(_) => Some(shortened(value.get())),
        },
        None if word.subtype.as_deref() == Some("null") => Some("null".to_owned()),
        None => word.description.map(|text| shortened(&text)),
    }
}

pub(super) fn exception(pages: &Pages, event: &Event<'_>) -> Option<()> {
    let thrown: Value = event.params()?;
    let text = exception_text(thrown.get("exceptionDetails")?);
    let text = shortened(&text);
    pages.notes.lock().add(Note::ConsoleError { text });
    Some(())
}

/// The words of an exception: its description, or what was thrown, or at least that something was.
pub(crate) fn exception_text(details: &Value) -> String {
    let exception = details.get("exception");
    let described = exception
        .and_then(|thrown| thrown.get("description"))
        .and_then(Value::as_str);
    let thrown = || Some(exception?.get("value")?.to_string());
    let text = || details.get("text").and_then(Value::as_str);
    described
        .map(str::to_owned)
        .or_else(thrown)
        .unwrap_or_else(|| text().unwrap_or("the script threw").to_owned())
}

#[derive(Deserialize)]
struct LogEntry {
    entry: Entry,
}

#[derive(Deserialize)]
struct Entry {
    source: String,
    level: String,
    text: String,
    #[serde(default)]
    url: Option<String>,
}

pub(super) fn log_entry(pages: &Pages, event: &Event<'_>) -> Option<()> {
    let LogEntry { entry } = event.params()?;
    if entry.level != "error" {
        return Some(());
    }
    let text = shortened(&entry.text);
    let note = match entry.url {
        // Every page is asked for an icon that it need not have.
        Some(url) if url.ends_with("/favicon.ico") => return Some(()),
        Some(url) if entry.source == "network" => Note::RequestFailed { url, text },
        _ => Note::ConsoleError { text },
    };
    pages.notes.lock().add(note);
    Some(())
}

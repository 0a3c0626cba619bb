//! What pages complain about: errors on the console, exceptions, parts that do not load.

use super::super::cdp::Event;
use super::super::notes::{Note, shortened};
use super::super::pages::Pages;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Console {
    #[serde(rename = "type")]
    kind: String,
    args: Vec<Value>,
}

pub(super) fn console(pages: &Pages, event: &Event<'_>) -> Option<()> {
    let Console { kind, args } = event.params()?;
    if !matches!(kind.as_str(), "error" | "assert") {
        return Some(());
    }
    let words: Vec<String> = args
        .iter()
        .filter_map(|arg| match arg.get("value") {
            Some(Value::String(text)) => Some(text.clone()),
            Some(value) => Some(value.to_string()),
            None => Some(arg.get("description")?.as_str()?.to_owned()),
        })
        .collect();
    let text = shortened(&words.join(" "));
    pages.notes.lock().add(Note::ConsoleError { text });
    Some(())
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

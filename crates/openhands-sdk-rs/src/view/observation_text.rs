//! What a tool answered, as the parts that the model reads.

use std::path::Path;

use openhands_protocol::message::Content;
use openhands_protocol::tool::{BrowserObservation, Observation, TaskObservation};
use openhands_tools::terminal;
use openhands_tools::truncate::{DEFAULT_NOTICE, SaveFull, truncate_middle_saving};
use sha2::{Digest, Sha256};

/// In front of an answer that reports an error.
const ERROR_HEADER: &str = "[An error occurred during execution.]\n";
/// The longest text of a browser's answer, in characters.
const MAX_BROWSER_CHARS: usize = 50_000;
/// How base64 text of the known image formats begins, with media type and file extension.
const IMAGE_STARTS: [(&str, &str, &str); 4] = [
    ("/9j/", "image/jpeg", "jpg"),
    ("iVBORw0KGgo", "image/png", "png"),
    ("R0lGODlh", "image/gif", "gif"),
    ("UklGR", "image/webp", "webp"),
];

/// The parts of an answer for the model.
pub(super) fn for_model(observation: &Observation) -> Vec<Content> {
    let header = observation.is_error().then(|| Content::text(ERROR_HEADER));
    match observation {
        Observation::Terminal(answer) => {
            let text = Content::text(terminal::for_model(answer));
            header.into_iter().chain([text]).collect()
        }
        Observation::Browser(answer) => header.into_iter().chain(browser(answer)).collect(),
        Observation::Task(answer) => std::iter::once(task(answer))
            .chain(header)
            .chain(answer.content.iter().cloned())
            .collect(),
        Observation::Unknown(raw) => {
            let parts = raw.body().get("content").cloned().unwrap_or_default();
            let parts: Vec<Content> = serde_json::from_value(parts).unwrap_or_default();
            header.into_iter().chain(parts).collect()
        }
        other => header
            .into_iter()
            .chain(other.content().iter().cloned())
            .collect(),
    }
}

/// Which task it was, by whom and how it stands.
fn task(answer: &TaskObservation) -> Content {
    Content::text(format!(
        "Task ID: {}\nSubagent: {}\nStatus: {}",
        answer.task_id, answer.subagent, answer.status
    ))
}

fn browser(answer: &BrowserObservation) -> Vec<Content> {
    let directory = answer.full_output_save_dir.as_deref().map(Path::new);
    let mut parts = Vec::new();
    let text = Content::join_text(&answer.content);
    if !text.is_empty() {
        let save = directory.map(|dir| SaveFull {
            dir,
            prefix: "browser",
        });
        let text = truncate_middle_saving(&text, MAX_BROWSER_CHARS, DEFAULT_NOTICE, save);
        parts.push(Content::text(text));
    }
    if let Some(data) = answer
        .screenshot_data
        .as_deref()
        .filter(|data| !data.is_empty())
    {
        let (_, media_type, extension) = IMAGE_STARTS
            .into_iter()
            .find(|(start, _, _)| data.starts_with(start))
            .unwrap_or(("", "image/png", "png"));
        let hash = format!("{:x}", Sha256::digest(data.as_bytes()));
        let name = format!(
            "browser_screenshot_{}.{extension}",
            hash.get(..8).unwrap_or_default()
        );
        // The tool saves the picture; what is not there is not promised to the model.
        if let Some(file) = directory
            .map(|directory| directory.join(name))
            .filter(|file| file.is_file())
        {
            let text = format!("Screenshot saved to: {}", file.display());
            parts.push(Content::text(text));
        }
        parts.push(Content::image(format!("data:{media_type};base64,{data}")));
    }
    parts
}

#[cfg(test)]
#[path = "observation_text_tests.rs"]
mod tests;

//! Files that pages offer: when they begin and how they end.

use super::super::cdp::Event;
use super::super::notes::Note;
use super::super::pages::{Download, Pages};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DownloadBegins {
    pub(super) guid: String,
    pub(super) url: String,
    pub(super) suggested_filename: String,
}

pub(super) fn download_begins(pages: &Pages, event: &Event<'_>) -> Option<()> {
    let begun: DownloadBegins = event.params()?;
    pages.change(|known| known.begin_download(begun.guid, begun.url, begun.suggested_filename));
    Some(())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DownloadProgress {
    guid: String,
    state: String,
    #[serde(default)]
    file_path: Option<std::path::PathBuf>,
}

pub(super) fn download_progress(pages: &Pages, event: &Event<'_>) -> Option<()> {
    let progress: DownloadProgress = event.params()?;
    if progress.state == "inProgress" {
        return Some(());
    }
    pages.change(|known| {
        let Download { url, name } = known.downloads.remove(&progress.guid)?;
        known.finished_downloads += 1;
        let note = if progress.state == "completed" {
            let path = progress
                .file_path
                .unwrap_or_else(|| pages.downloads.join(&name));
            Note::Downloaded { url, path }
        } else {
            Note::DownloadFailed { url, name }
        };
        pages.notes.lock().add(note);
        Some(())
    })
}

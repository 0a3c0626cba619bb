//! The files of a recording: lists of events, one after another, in a folder of its own.

use crate::safe_write::write_file;
use std::io;
use std::path::{Path, PathBuf};

/// A folder with the files of one recording.
#[derive(Debug)]
pub(super) struct Files {
    folder: PathBuf,
    written: usize,
    events: usize,
}

impl Files {
    /// A new folder, named by the time.
    pub(super) fn new(recordings: &Path) -> io::Result<Self> {
        let folder = recordings.join(format!("recording-{}", now()));
        std::fs::create_dir_all(&folder)?;
        Ok(Self {
            folder,
            written: 0,
            events: 0,
        })
    }

    /// Writes events, each as JSON, into a file of their own; no events make no file.
    pub(super) fn write(&mut self, events: &[String]) -> io::Result<()> {
        if events.is_empty() {
            return Ok(());
        }
        std::fs::create_dir_all(&self.folder)?;
        let text = format!("[{}]", events.join(", "));
        let mut file = self.folder.join(format!("{}.json", now()));
        // Two files of one microsecond: the clock was set back, or is coarse.
        while file.exists() {
            std::thread::yield_now();
            file = self.folder.join(format!("{}.json", now()));
        }
        write_file(&file, text.as_bytes()).map_err(io::Error::other)?;
        self.written += 1;
        self.events += events.len();
        Ok(())
    }

    /// What there is, in words.
    pub(super) fn summary(&self) -> String {
        format!(
            "Recording stopped. Captured {} events in {} file(s). Saved to: {}",
            self.events,
            self.written,
            self.folder.display()
        )
    }
}

/// The time in a form that sorts by itself: `20261231-235959-123456`.
fn now() -> String {
    jiff::Zoned::now()
        .with_time_zone(jiff::tz::TimeZone::UTC)
        .strftime("%Y%m%d-%H%M%S-%6f")
        .to_string()
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;

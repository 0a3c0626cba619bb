//! The list_directory tool: entries of a directory.

use super::observation::observation;
use crate::time::EventTime;
use crate::wire::wire;

wire! {
    /// A directory to list.
    pub struct ListDirectoryAction ["kind" = "ListDirectoryAction"] (default) {
        dir_path: String = ".".to_owned(),
        /// Whether to go one level deeper.
        recursive: bool = false,
    }

    /// One entry of a directory.
    pub struct FileEntry {
        name: String,
        path: String,
        is_directory: bool,
        size: u64,
        modified_time: EventTime,
    }
}

observation! {
    /// Entries of a directory.
    pub struct ListDirectoryObservation ["kind" = "ListDirectoryObservation"] {
        dir_path: Option<String> = None,
        entries: Vec<FileEntry> = Vec::new(),
        total_count: u64 = 0,
        is_truncated: bool = false,
    }
}

//! The read_file tool: lines of a text file.

use super::observation::observation;
use crate::wire::wire;

wire! {
    /// A request for lines of a file.
    pub struct ReadFileAction ["kind" = "ReadFileAction"] (default) {
        file_path: String,
        /// Lines to skip.
        offset: Option<i64> = None,
        /// Lines to show at most.
        limit: Option<i64> = None,
    }
}

observation! {
    /// Lines of a file.
    pub struct ReadFileObservation ["kind" = "ReadFileObservation"] {
        file_path: String,
        file_content: String = String::new(),
        is_truncated: bool = false,
        /// First and last line shown, counted from one.
        lines_shown: Option<(u64, u64)> = None,
        total_lines: Option<u64> = None,
    }
}

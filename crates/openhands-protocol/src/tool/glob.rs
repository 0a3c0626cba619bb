//! The glob tool: files whose path matches a pattern.

use super::observation::observation;
use crate::wire::wire;

wire! {
    /// A search for paths.
    pub struct GlobAction ["kind" = "GlobAction"] (default) {
        pattern: String,
        path: Option<String> = None,
    }
}

observation! {
    /// Files that match.
    pub struct GlobObservation ["kind" = "GlobObservation"] {
        files: Vec<String>,
        pattern: String,
        search_path: String,
        truncated: bool = false,
    }
}

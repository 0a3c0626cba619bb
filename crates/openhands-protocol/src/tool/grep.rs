//! The grep tool: files whose content matches a pattern.

use super::observation::observation;
use crate::wire::wire;

wire! {
    /// A search in file contents.
    pub struct GrepAction ["kind" = "GrepAction"] (default) {
        pattern: String,
        path: Option<String> = None,
        include: Option<String> = None,
    }
}

observation! {
    /// Files that match.
    pub struct GrepObservation ["kind" = "GrepObservation"] {
        matches: Vec<String>,
        pattern: String,
        search_path: String,
        include_pattern: Option<String> = None,
        truncated: bool = false,
    }
}

//! The edit tool: replace an exact string in a file.

use super::observation::observation;
use crate::wire::wire;

wire! {
    /// A replacement in a file.
    pub struct EditAction ["kind" = "EditAction"] (default) {
        file_path: String,
        old_string: String,
        new_string: String,
        expected_replacements: i64 = 1,
    }
}

observation! {
    /// What a replacement answered.
    pub struct EditObservation ["kind" = "EditObservation"] {
        file_path: Option<String> = None,
        is_new_file: bool = false,
        replacements_made: u64 = 0,
        old_content: Option<String> = None,
        new_content: Option<String> = None,
    }
}

//! The write_file tool: create a file or replace its content.

use super::observation::observation;
use crate::wire::wire;

wire! {
    /// A file to write.
    pub struct WriteFileAction ["kind" = "WriteFileAction"] (default) {
        file_path: String,
        content: String,
    }
}

observation! {
    /// What writing a file answered.
    pub struct WriteFileObservation ["kind" = "WriteFileObservation"] {
        file_path: Option<String> = None,
        is_new_file: bool = false,
        old_content: Option<String> = None,
        new_content: Option<String> = None,
    }
}

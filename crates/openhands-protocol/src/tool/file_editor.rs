//! The file editor tool: view, create and change files.

use super::observation::observation;
use crate::text::words;
use crate::wire::wire;

words! {
    /// What to do with a file.
    pub enum FileEditorCommand {
        View = "view",
        Create = "create",
        StrReplace = "str_replace",
        Insert = "insert",
        UndoEdit = "undo_edit",
    }
}

wire! {
    /// One call of the file editor.
    pub struct FileEditorAction ["kind" = "FileEditorAction"] (default) {
        command: FileEditorCommand,
        path: String,
        file_text: Option<String> = None,
        old_str: Option<String> = None,
        new_str: Option<String> = None,
        insert_line: Option<i64> = None,
        view_range: Option<Vec<i64>> = None,
    }
}

observation! {
    /// What a file editor call answered.
    pub struct FileEditorObservation ["kind" = "FileEditorObservation"] {
        command: FileEditorCommand,
        path: Option<String> = None,
        prev_exist: bool = true,
        old_content: Option<String> = None,
        new_content: Option<String> = None,
    }
}

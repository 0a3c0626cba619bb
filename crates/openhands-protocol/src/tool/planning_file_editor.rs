//! The planning file editor: the file editor, allowed to change only the plan.

use super::FileEditorCommand;
use super::observation::observation;
use crate::wire::wire;

wire! {
    /// One call of the planning file editor.
    pub struct PlanningFileEditorAction ["kind" = "PlanningFileEditorAction"] (default) {
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
    /// What a planning file editor call answered.
    pub struct PlanningFileEditorObservation ["kind" = "PlanningFileEditorObservation"] {
        command: FileEditorCommand,
        path: Option<String> = None,
        prev_exist: bool = true,
        old_content: Option<String> = None,
        new_content: Option<String> = None,
    }
}

//! The union of all actions.

use serde_json::{Map, Value};

use super::{
    ApplyPatchAction, EditAction, FileEditorAction, FinishAction, GlobAction, GrepAction,
    ListDirectoryAction, McpToolAction, PlanningFileEditorAction, ReadFileAction,
    TaskTrackerAction, TerminalAction, ThinkAction, WriteFileAction,
};
use crate::union::{RawUnion, union};

union! {
    /// What a tool is asked to do.
    pub enum Action by "kind" {
        Terminal(TerminalAction),
        FileEditor(FileEditorAction),
        PlanningFileEditor(PlanningFileEditorAction),
        Grep(GrepAction),
        Glob(GlobAction),
        ApplyPatch(ApplyPatchAction),
        TaskTracker(TaskTrackerAction),
        ReadFile(ReadFileAction),
        WriteFile(WriteFileAction),
        Edit(EditAction),
        ListDirectory(ListDirectoryAction),
        Finish(FinishAction),
        Think(ThinkAction),
        McpTool(McpToolAction),
    }
    prefix "ClientAction_" Client
}

impl Action {
    /// A call of a tool that the client itself offers.
    pub fn client(tool_name: &str, arguments: Map<String, Value>) -> Self {
        Self::Client(RawUnion::new(
            "kind",
            format!("ClientAction_{tool_name}"),
            arguments,
        ))
    }
}

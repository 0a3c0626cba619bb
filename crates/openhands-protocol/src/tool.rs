//! Tools: what they are asked (actions), what they answer (observations), how they are described.

mod action;
mod annotations;
mod apply_patch;
mod edit;
mod file_editor;
mod finish;
mod glob;
mod grep;
mod list_directory;
mod mcp;
mod observation;
mod planning_file_editor;
mod read_file;
mod spec;
mod task_tracker;
mod terminal;
mod think;
mod write_file;

pub use action::Action;
pub use annotations::ToolAnnotations;
pub use apply_patch::{
    ApplyPatchAction, ApplyPatchObservation, PatchChange, PatchChangeType, PatchCommit,
};
pub use edit::{EditAction, EditObservation};
pub use file_editor::{FileEditorAction, FileEditorCommand, FileEditorObservation};
pub use finish::{FinishAction, FinishObservation};
pub use glob::{GlobAction, GlobObservation};
pub use grep::{GrepAction, GrepObservation};
pub use list_directory::{FileEntry, ListDirectoryAction, ListDirectoryObservation};
pub use mcp::{McpToolAction, McpToolObservation};
pub use observation::{Observation, ObservationBody};
pub use planning_file_editor::{PlanningFileEditorAction, PlanningFileEditorObservation};
pub use read_file::{ReadFileAction, ReadFileObservation};
pub use spec::{Tool, ToolDefinition, ToolSpec};
pub use task_tracker::{
    TaskItem, TaskStatus, TaskTrackerAction, TaskTrackerCommand, TaskTrackerObservation,
};
pub use terminal::{CmdOutputMetadata, TerminalAction, TerminalObservation};
pub use think::{ThinkAction, ThinkObservation};
pub use write_file::{WriteFileAction, WriteFileObservation};

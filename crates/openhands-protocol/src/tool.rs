//! Tools: what they are asked (actions), what they answer (observations), how they are described.

mod action;
mod annotations;
mod apply_patch;
mod ask_oracle;
mod browser;
mod client;
mod delegate;
mod edit;
mod file_editor;
mod finish;
mod glob;
mod grep;
mod invoke_skill;
mod ipython;
mod list_directory;
mod mcp;
mod observation;
mod planning_file_editor;
mod read_file;
mod spec;
mod start_child_conversation;
mod switch_llm;
mod task;
mod task_tracker;
mod terminal;
mod think;
mod vision_inspect;
mod workflow;
mod write_file;

pub use action::Action;
pub use annotations::ToolAnnotations;
pub use apply_patch::{
    ApplyPatchAction, ApplyPatchObservation, PatchChange, PatchChangeType, PatchCommit,
};
pub use ask_oracle::{AskOracleAction, AskOracleObservation};
pub use browser::{
    BrowserAction, BrowserClickAction, BrowserCloseTabAction, BrowserGetContentAction,
    BrowserGetStateAction, BrowserGetStorageAction, BrowserGoBackAction, BrowserListTabsAction,
    BrowserNavigateAction, BrowserObservation, BrowserScrollAction, BrowserSetStorageAction,
    BrowserStartRecordingAction, BrowserStopRecordingAction, BrowserSwitchTabAction,
    BrowserTypeAction, ScrollDirection,
};
pub use client::ClientToolObservation;
pub use delegate::{DelegateAction, DelegateCommand, DelegateObservation};
pub use edit::{EditAction, EditObservation};
pub use file_editor::{FileEditorAction, FileEditorCommand, FileEditorObservation};
pub use finish::{FinishAction, FinishObservation};
pub use glob::{GlobAction, GlobObservation};
pub use grep::{GrepAction, GrepObservation};
pub use invoke_skill::{InvokeSkillAction, InvokeSkillObservation};
pub use ipython::{IPythonAction, IPythonObservation};
pub use list_directory::{FileEntry, ListDirectoryAction, ListDirectoryObservation};
pub use mcp::{McpToolAction, McpToolObservation};
pub use observation::{Observation, ObservationBody};
pub use planning_file_editor::{PlanningFileEditorAction, PlanningFileEditorObservation};
pub use read_file::{ReadFileAction, ReadFileObservation};
pub use spec::{Tool, ToolDefinition, ToolSpec};
pub use start_child_conversation::{
    StartChildConversationAction, StartChildConversationObservation,
};
pub use switch_llm::{
    ClassifyAndSwitchLlmAction, ClassifyAndSwitchLlmObservation, SwitchLlmAction,
    SwitchLlmObservation,
};
pub use task::{TaskAction, TaskObservation};
pub use task_tracker::{
    TaskItem, TaskStatus, TaskTrackerAction, TaskTrackerCommand, TaskTrackerObservation,
};
pub use terminal::{CmdOutputMetadata, TerminalAction, TerminalObservation};
pub use think::{ThinkAction, ThinkObservation};
pub use vision_inspect::{VisionInspectAction, VisionInspectObservation};
pub use workflow::{WorkflowAction, WorkflowObservation, WorkflowStatus};
pub use write_file::{WriteFileAction, WriteFileObservation};

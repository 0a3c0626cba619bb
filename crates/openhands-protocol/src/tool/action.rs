//! The union of all actions.

use serde_json::{Map, Value};

use super::{
    ApplyPatchAction, AskOracleAction, BrowserAction, BrowserClickAction, BrowserCloseTabAction,
    BrowserGetContentAction, BrowserGetStateAction, BrowserGetStorageAction, BrowserGoBackAction,
    BrowserListTabsAction, BrowserNavigateAction, BrowserScrollAction, BrowserSetStorageAction,
    BrowserStartRecordingAction, BrowserStopRecordingAction, BrowserSwitchTabAction,
    BrowserTypeAction, ClassifyAndSwitchLlmAction, DelegateAction, EditAction, FileEditorAction,
    FinishAction, GlobAction, GrepAction, IPythonAction, InvokeSkillAction, ListDirectoryAction,
    McpToolAction, PlanningFileEditorAction, ReadFileAction, StartChildConversationAction,
    SwitchLlmAction, TaskAction, TaskTrackerAction, TerminalAction, ThinkAction,
    VisionInspectAction, WorkflowAction, WriteFileAction,
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
        AskOracle(AskOracleAction),
        Browser(BrowserAction),
        BrowserClick(BrowserClickAction),
        BrowserCloseTab(BrowserCloseTabAction),
        BrowserGetContent(BrowserGetContentAction),
        BrowserGetState(BrowserGetStateAction),
        BrowserGetStorage(BrowserGetStorageAction),
        BrowserGoBack(BrowserGoBackAction),
        BrowserListTabs(BrowserListTabsAction),
        BrowserNavigate(BrowserNavigateAction),
        BrowserScroll(BrowserScrollAction),
        BrowserSetStorage(BrowserSetStorageAction),
        BrowserStartRecording(BrowserStartRecordingAction),
        BrowserStopRecording(BrowserStopRecordingAction),
        BrowserSwitchTab(BrowserSwitchTabAction),
        BrowserType(BrowserTypeAction),
        Delegate(DelegateAction),
        InvokeSkill(InvokeSkillAction),
        StartChildConversation(StartChildConversationAction),
        ClassifyAndSwitchLlm(ClassifyAndSwitchLlmAction),
        SwitchLlm(SwitchLlmAction),
        Task(TaskAction),
        VisionInspect(VisionInspectAction),
        Workflow(WorkflowAction),
        IPython(IPythonAction),
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

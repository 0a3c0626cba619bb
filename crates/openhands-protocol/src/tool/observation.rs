//! The union of all observations, and what they have in common.

use super::{
    ApplyPatchObservation, AskOracleObservation, BrowserObservation,
    ClassifyAndSwitchLlmObservation, ClientToolObservation, DelegateObservation, EditObservation,
    FileEditorObservation, FinishObservation, GlobObservation, GrepObservation, IPythonObservation,
    InvokeSkillObservation, ListDirectoryObservation, McpToolObservation,
    PlanningFileEditorObservation, ReadFileObservation, StartChildConversationObservation,
    SwitchLlmObservation, TaskObservation, TaskTrackerObservation, TerminalObservation,
    ThinkObservation, VisionInspectObservation, WorkflowObservation, WriteFileObservation,
};
use crate::message::Content;
use crate::union::union;

/// What every observation has: parts for the model, and whether it reports an error.
pub trait ObservationBody {
    /// Parts for the model.
    fn content(&self) -> &[Content];
    /// Parts for the model, to change them.
    fn content_mut(&mut self) -> &mut Vec<Content>;
    /// Whether it reports an error.
    fn is_error(&self) -> bool;
}

/// Declares observation types: [`wire!`](crate::wire) with `content` and `is_error` first, and `Default`.
macro_rules! observation {
    ($(
        $(#[doc = $doc:literal])*
        pub struct $name:ident ["kind" = $value:literal] {
            $( $(#[doc = $fdoc:literal])* $field:ident : $ty:ty $(= $init:expr)? ),* $(,)?
        }
    )*) => {
        $(
            $crate::wire::wire! {
                $(#[doc = $doc])*
                pub struct $name ["kind" = $value] (default) {
                    /// Parts for the model.
                    content: Vec<$crate::message::Content> = Vec::new(),
                    /// Whether it reports an error.
                    is_error: bool = false,
                    $( $(#[doc = $fdoc])* $field: $ty $(= $init)? ),*
                }
            }

            impl $name {
                /// One that answers with a text.
                pub fn with_text(text: impl Into<String>) -> Self {
                    Self {
                        content: vec![$crate::message::Content::text(text)],
                        ..Self::default()
                    }
                }

                /// One that reports an error.
                pub fn with_error(text: impl Into<String>) -> Self {
                    Self {
                        is_error: true,
                        ..Self::with_text(text)
                    }
                }
            }

            impl $crate::tool::ObservationBody for $name {
                fn content(&self) -> &[$crate::message::Content] {
                    &self.content
                }
                fn content_mut(&mut self) -> &mut Vec<$crate::message::Content> {
                    &mut self.content
                }
                fn is_error(&self) -> bool {
                    self.is_error
                }
            }
        )*
    };
}
pub(super) use observation;

/// Declares the union and what it passes on to its kinds.
macro_rules! observations {
    ($($variant:ident($ty:ty)),+ $(,)?) => {
        union! {
            /// What a tool answered.
            pub enum Observation by "kind" {
                $($variant($ty)),+
            }
        }

        impl Observation {
            /// What every known observation has.
            pub fn body(&self) -> Option<&dyn ObservationBody> {
                match self {
                    $(Self::$variant(body) => Some(body),)+
                    Self::Unknown(_) => None,
                }
            }

            /// What every known observation has, to change it.
            pub fn body_mut(&mut self) -> Option<&mut dyn ObservationBody> {
                match self {
                    $(Self::$variant(body) => Some(body),)+
                    Self::Unknown(_) => None,
                }
            }
        }
    };
}

observations! {
    Terminal(TerminalObservation),
    FileEditor(FileEditorObservation),
    PlanningFileEditor(PlanningFileEditorObservation),
    Grep(GrepObservation),
    Glob(GlobObservation),
    ApplyPatch(ApplyPatchObservation),
    TaskTracker(TaskTrackerObservation),
    ReadFile(ReadFileObservation),
    WriteFile(WriteFileObservation),
    Edit(EditObservation),
    ListDirectory(ListDirectoryObservation),
    Finish(FinishObservation),
    Think(ThinkObservation),
    McpTool(McpToolObservation),
    AskOracle(AskOracleObservation),
    Browser(BrowserObservation),
    ClientTool(ClientToolObservation),
    Delegate(DelegateObservation),
    InvokeSkill(InvokeSkillObservation),
    StartChildConversation(StartChildConversationObservation),
    ClassifyAndSwitchLlm(ClassifyAndSwitchLlmObservation),
    SwitchLlm(SwitchLlmObservation),
    Task(TaskObservation),
    VisionInspect(VisionInspectObservation),
    Workflow(WorkflowObservation),
    IPython(IPythonObservation),
}

impl Observation {
    /// Parts for the model; none for an unknown kind.
    pub fn content(&self) -> &[Content] {
        self.body().map_or(&[], ObservationBody::content)
    }

    /// Whether it reports an error. An unknown kind is asked by its raw member.
    pub fn is_error(&self) -> bool {
        if let Self::Unknown(raw) = self {
            raw.body().get("is_error") == Some(&serde_json::Value::Bool(true))
        } else {
            self.body().is_some_and(ObservationBody::is_error)
        }
    }

    /// The text of all text parts, joined without a separator.
    pub fn text(&self) -> String {
        Content::join_text(self.content())
    }
}

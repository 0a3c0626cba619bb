//! Something went wrong.

use crate::event::{ActionEvent, EventHeader, Source};
use crate::ids::ToolCallId;
use crate::json::Extra;
use crate::text::words;
use crate::wire::wire;

words! {
    /// What sort of failure it was.
    pub open enum FailureKind {
        Unknown = "unknown",
        Auth = "auth",
        Quota = "quota",
        RateLimit = "rate_limit",
        Config = "config",
        Transient = "transient",
        AgentAction = "agent_action",
        Internal = "internal",
    }
}

words! {
    /// What the user can do about a failure.
    pub open enum UserAction {
        None = "none",
        Retry = "retry",
        Settings = "settings",
    }
}

wire! {
    /// What a client should make of an error.
    pub struct ErrorClassification (default) {
        kind: FailureKind,
        retryable: bool,
        user_action: UserAction = UserAction::None,
        error_id: Option<String> = None,
    }

    /// A tool call failed before it could answer. The model sees it and goes on.
    pub struct AgentErrorEvent ["kind" = "AgentErrorEvent"] event [header: Some(Source::Agent)] {
        tool_name: String,
        tool_call_id: ToolCallId,
        error: String,
        classification: Option<ErrorClassification> = None,
    }

    /// The run ended with an error.
    pub struct ConversationErrorEvent ["kind" = "ConversationErrorEvent"] event [header: None] {
        code: String,
        detail: String,
        classification: Option<ErrorClassification> = None,
    }

    /// A client frame was refused. Only on sockets, never stored.
    pub struct ServerErrorEvent ["kind" = "ServerErrorEvent"] event [header: None] {
        code: String,
        detail: String,
    }
}

impl AgentErrorEvent {
    /// The failure of a call, in place of its answer.
    pub fn answering(
        action: &ActionEvent,
        error: impl Into<String>,
        classification: ErrorClassification,
    ) -> Self {
        Self {
            header: EventHeader::now(Source::Agent),
            tool_name: action.tool_name.clone(),
            tool_call_id: action.tool_call_id.clone(),
            error: error.into(),
            classification: Some(classification),
            extra: Extra::default(),
        }
    }
}

impl ConversationErrorEvent {
    /// Why a run ended.
    pub fn new(
        code: impl Into<String>,
        detail: impl Into<String>,
        classification: ErrorClassification,
    ) -> Self {
        Self {
            header: EventHeader::now(Source::Environment),
            code: code.into(),
            detail: detail.into(),
            classification: Some(classification),
            extra: Extra::default(),
        }
    }
}

impl ErrorClassification {
    /// What the model did wrong and can mend.
    pub fn agent_action() -> Self {
        Self {
            kind: FailureKind::AgentAction,
            retryable: true,
            user_action: UserAction::Retry,
            ..Self::default()
        }
    }

    /// A failure of this kind that trying again does not mend.
    pub fn lasting(kind: FailureKind, user_action: UserAction) -> Self {
        Self {
            kind,
            retryable: false,
            user_action,
            ..Self::default()
        }
    }
}

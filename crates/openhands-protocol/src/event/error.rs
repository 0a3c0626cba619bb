//! Something went wrong.

use crate::event::Source;
use crate::ids::ToolCallId;
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

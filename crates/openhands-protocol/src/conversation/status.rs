//! What a conversation is doing.

use crate::text::words;
use crate::wire::wire;

words! {
    /// What a conversation is doing.
    pub enum ExecutionStatus {
        Idle = "idle",
        Running = "running",
        Paused = "paused",
        WaitingForConfirmation = "waiting_for_confirmation",
        Finished = "finished",
        Error = "error",
        Stuck = "stuck",
        Deleting = "deleting",
    }
}

words! {
    /// Whether the runtime of a conversation can be used.
    pub open enum ConversationRuntimeStatus {
        Available = "available",
        Starting = "starting",
        Missing = "missing",
        OwnershipLost = "ownership_lost",
        Error = "error",
    }
}

wire! {
    /// Why a runtime cannot be used.
    pub struct ConversationRuntimeError (default) {
        code: String,
        message: String,
    }

    /// The runtime of a conversation.
    pub struct ConversationRuntimeInfo (default) {
        runtime_status: ConversationRuntimeStatus,
        can_resume: bool,
        runtime_error: Option<ConversationRuntimeError> = None,
    }
}

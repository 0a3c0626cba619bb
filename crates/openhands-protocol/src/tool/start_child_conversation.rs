//! The start_child_conversation tool.

use super::observation::observation;
use crate::conversation::Isolation;
use crate::wire::wire;

wire! {
    /// A conversation to start.
    pub struct StartChildConversationAction ["kind" = "StartChildConversationAction"] (default) {
        task: String,
        title: Option<String> = None,
        isolation: Isolation = Isolation::Worktree,
    }
}

observation! {
    /// A started conversation.
    pub struct StartChildConversationObservation ["kind" = "StartChildConversationObservation"] {
        conversation_id: Option<String> = None,
        parent_conversation_id: Option<String> = None,
        status: Option<String> = None,
        title: Option<String> = None,
        url: Option<String> = None,
        workspace: Option<String> = None,
        isolation: Option<Isolation> = None,
    }
}

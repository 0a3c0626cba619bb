//! Conversations and their files in the paths of routes.

use crate::ids::ConversationId;
use crate::wire::wire;

wire! {
    /// A conversation whose workspace is worked in.
    pub struct RuntimePath {
        /// Its id.
        runtime_conversation_id: ConversationId,
    }

    /// A conversation whose workspace is shown.
    pub struct WorkspacePath {
        /// Its id.
        conversation_id: ConversationId,
    }

    /// A file of a conversation's workspace.
    pub struct WorkspaceFilePath {
        /// The conversation's id.
        conversation_id: ConversationId,
        /// The file, relative to the workspace.
        file_path: String,
    }
}

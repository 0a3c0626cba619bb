//! Where the files of a conversation are.

use crate::ids::ConversationId;
use crate::union::union;
use crate::wire::wire;

wire! {
    /// A directory on this machine.
    pub struct LocalWorkspace ["kind" = "LocalWorkspace"] (default) {
        working_dir: String,
    }

    /// A directory behind another agent server.
    pub struct RemoteWorkspace ["kind" = "RemoteWorkspace"] (default) {
        working_dir: String,
        host: String,
        api_key: Option<String> = None,
        read_timeout: f64 = 600.0,
        max_connections: Option<i64> = None,
        runtime_conversation_id: Option<ConversationId> = None,
    }
}

union! {
    /// Where the files are.
    pub enum Workspace by "kind" {
        Local(LocalWorkspace),
        Remote(RemoteWorkspace),
    }
    default Local(LocalWorkspace)
}

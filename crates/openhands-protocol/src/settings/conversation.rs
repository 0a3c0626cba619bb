//! How new conversations are made.

use crate::conversation::WorktreeBase;
use crate::server::RuntimeKind;
use crate::wire::wire;

wire! {
    /// Limits, confirmation, worktree and container of new conversations.
    pub struct ConversationSettings (default) {
        schema_version: i64 = 1,
        max_iterations: i64 = 500,
        confirmation_mode: bool = false,
        security_analyzer: Option<String> = Some("llm".to_owned()),
        default_runtime: RuntimeKind = RuntimeKind::Local,
        worktree_base: WorktreeBase = WorktreeBase::DefaultBranch,
        worktree_base_ref: Option<String> = None,
        worktree_branch_prefix: String = "openhands/".to_owned(),
        container_memory: Option<String> = None,
        container_cpus: Option<f64> = None,
        container_browser: bool = true,
    }
}

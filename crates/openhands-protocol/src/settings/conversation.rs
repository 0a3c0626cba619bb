//! How new conversations are made.

use crate::conversation::WorktreeBase;
use crate::text::words;
use crate::wire::wire;
use serde_json::{Map, Value};

words! {
    /// Where new conversations work.
    pub open enum DefaultRuntime {
        Local = "local",
        Worktree = "worktree",
        Docker = "docker",
    }
}

wire! {
    /// Limits, confirmation, worktree and container of new conversations.
    pub struct ConversationSettings (default, after) {
        schema_version in [ge(1.0)]: i64 = 1,
        max_iterations in [ge(1.0)]: i64 = 500,
        confirmation_mode: bool = false,
        security_analyzer in [words(&["llm", "none"])]: Option<String> = Some("llm".to_owned()),
        default_runtime: DefaultRuntime = DefaultRuntime::Local,
        worktree_base: WorktreeBase = WorktreeBase::DefaultBranch,
        worktree_base_ref in [pattern("^[A-Za-z0-9][A-Za-z0-9._/-]*$")]: Option<String> = None,
        worktree_branch_prefix in [pattern("^([A-Za-z0-9][A-Za-z0-9._/-]*)?$")]: String = "openhands/".to_owned(),
        container_memory in [pattern(r"^\d+(\.\d+)? ?[kKmMgGtTpP]?[iI]?[bB]?$")]: Option<String> = None,
        container_cpus in [ge(0.01)]: Option<f64> = None,
        container_browser: bool = true,
    }
}

impl ConversationSettings {
    fn after(members: &Map<String, Value>) -> Result<(), String> {
        let by_ref = members.get("worktree_base").and_then(Value::as_str) == Some("ref");
        if by_ref && members.get("worktree_base_ref").is_none_or(Value::is_null) {
            return Err("Branching worktrees from a ref needs worktree_base_ref".to_owned());
        }
        Ok(())
    }
}

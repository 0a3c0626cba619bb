//! Deleting conversations.

use openhands_protocol::ConversationId;
use openhands_protocol::conversation::ExecutionStatus;
use openhands_sdk_rs::runtime::{LocalWorkspace, Runtime as _};

use crate::services::conversations::{Conversations, RefusedRequest, worktree};

impl Conversations {
    /// Deletes a conversation and its files. The workspace stays, but for a worktree that no other conversation uses.
    pub(crate) async fn delete(&self, id: ConversationId) -> Result<(), RefusedRequest> {
        let entry = self.entry(id).ok_or(RefusedRequest::Unknown(id))?;
        let slot = self.sandbox(id);
        let farewell = self.webhook_info(&entry).await;
        entry.delete(&self.host).await?;
        if let Some(mut info) = farewell {
            info.execution_status = ExecutionStatus::Deleting;
            self.webhooks.conversation(&info);
            self.webhooks.flush(id);
        }
        self.catalog.write().remove(&id);
        let root = &self.config.conversation_worktree_root;
        if let Some(tree) = worktree::of_workspace(root, &entry.working_dir())
            && !self.uses(root, &tree)
        {
            if let Some(slot) = slot {
                // A container that cannot be made any more leaves the tree to whoever cleans up.
                worktree::remove(slot.runtime().workspace(), &tree).await;
            } else {
                let here = LocalWorkspace::new(&tree, &self.host.env);
                worktree::remove(&here, &tree).await;
            }
        }
        self.sandboxes.remove(id).await;
        Ok(())
    }

    /// Whether a conversation works in a worktree.
    fn uses(&self, root: &std::path::Path, tree: &std::path::Path) -> bool {
        let catalog = self.catalog.read();
        catalog.values().any(|entry| {
            worktree::of_workspace(root, &entry.working_dir()).as_deref() == Some(tree)
        })
    }
}

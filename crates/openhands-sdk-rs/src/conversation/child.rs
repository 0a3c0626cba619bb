//! Children: conversations that take over a part of the work, in the same workspace or in a worktree of their own.

use std::path::PathBuf;

use openhands_protocol::conversation::Isolation;
use openhands_protocol::message::Message;
use openhands_runtime::Exec;
use tokio_util::sync::CancellationToken;

use crate::conversation::{Conversation, ConversationConfig, ConversationError};

/// Where worktrees of children are, below the directory for temporary files.
const WORKTREES: &str = "conversation-worktrees";

impl Conversation {
    /// Starts a conversation with the same agent on a task of its own. It runs when this returns, and lives on when
    /// this one ends. With a worktree, it works on a branch of its own and gets in nobody's way.
    pub async fn start_child(
        &self,
        task: &str,
        isolation: &Isolation,
    ) -> Result<Self, ConversationError> {
        let mut config =
            ConversationConfig::new(self.inner.agent()?, self.inner.place().working_dir);
        if *isolation != Isolation::Shared {
            config.working_dir = self.add_worktree(&config).await?;
        }
        {
            let state = self.inner.state.read();
            config.max_iterations = state.max_iterations;
            config.stuck_detection = state.stuck_detection;
            config.confirmation_policy = state.confirmation_policy.clone();
            config.security_analyzer = state.security_analyzer.as_deref().cloned();
            config.hook_config = state.hook_config.as_deref().cloned();
            config.secrets = state.secret_registry.secret_sources.clone();
        }
        config.unsaved = self.inner.extras.clone();
        let child = Self::create(&self.inner.host, config).await?;
        child.send_and_run(Message::user(task)).await?;
        Ok(child)
    }

    /// Makes a worktree of the workspace's repository, on a new branch.
    async fn add_worktree(
        &self,
        config: &ConversationConfig,
    ) -> Result<PathBuf, ConversationError> {
        let name = config.id.hex();
        let path = std::env::temp_dir().join(WORKTREES).join(&name);
        let equipment = self.inner.equipment().await?;
        let branch = format!("openhands/{name}");
        let target = path.to_string_lossy().into_owned();
        let exec = Exec::new(["git", "worktree", "add", "-q", "-b", &branch, &target]);
        let done = equipment
            .runtime
            .workspace()
            .exec(exec, CancellationToken::new())
            .await
            .map_err(|error| ConversationError::Worktree(error.to_string()))?;
        if done.exit.is_some_and(openhands_process::Exit::success) {
            return Ok(path);
        }
        let said = String::from_utf8_lossy(&done.stderr).trim().to_owned();
        Err(ConversationError::Worktree(said))
    }
}

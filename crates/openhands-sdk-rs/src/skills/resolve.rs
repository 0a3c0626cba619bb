//! All skills of a conversation: what the client gave, and what was asked to be loaded.

use std::sync::Arc;

use openhands_protocol::agent::AgentContext;
use openhands_protocol::skills::Skill;
use openhands_runtime::Workspace;
use tokio_util::sync::CancellationToken;

use crate::skills::compose::settle;
use crate::skills::loaded::Loaded;
use crate::skills::project::load_project;
use crate::skills::public::PublicSkills;
use crate::skills::user::{UserDirectories, load_user};

/// Where skills beyond those of the project come from. Shared by all conversations.
#[derive(Debug, Clone, Default)]
pub struct SkillSources {
    /// The user's own; none if there is no user here.
    pub user: Option<UserDirectories>,
    /// The public ones; none if they are turned off.
    pub public: Option<Arc<PublicSkills>>,
}

impl SkillSources {
    /// The skills that an agent's context asks for. Those of the project win over those that the client gave, these
    /// over the user's, and these over public ones. What is disabled is left out, wherever it comes from.
    pub async fn resolve(
        &self,
        context: &AgentContext,
        workspace: &dyn Workspace,
        cancel: &CancellationToken,
    ) -> Loaded {
        let mut all = Loaded::default();
        if context.load_project_skills {
            all.append(load_project(workspace, cancel).await);
        }
        for skill in &context.skills {
            all.add(settle(skill.clone()));
        }
        if context.load_user_skills
            && let Some(user) = &self.user
        {
            all.append(load_user(user).await);
        }
        if context.load_public_skills
            && let Some(public) = &self.public
        {
            all.append(
                public
                    .load(context.marketplace_path.as_deref(), cancel)
                    .await,
            );
        }
        all.skills
            .retain(|skill: &Skill| !context.disabled_skills.contains(&skill.name));
        all
    }
}

#[cfg(test)]
#[path = "resolve_tests.rs"]
mod tests;

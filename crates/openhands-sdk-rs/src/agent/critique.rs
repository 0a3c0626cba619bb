//! What a critic says about the agent's work, and another round if it is not good enough.

use openhands_protocol::agent::{Critic, CriticResult};
use openhands_protocol::event::{ActionEvent, MessageEvent, Source};
use openhands_runtime::Exec;
use serde_json::Value;

use crate::agent::step::{Step, StepError};
use crate::conversation::ConversationError;
use crate::critic::{self, Evidence, ITERATION_KEY, Occasion};

/// What shows the changes in a repository, those to files that git does not know among them.
const PATCH: &str =
    "git diff HEAD 2>/dev/null; git ls-files --others --exclude-standard 2>/dev/null";

impl Step<'_> {
    /// Lets the critic look at what the agent says.
    pub(crate) async fn judge_message(self, event: &mut MessageEvent) {
        event.critic_result = self.judge(Occasion::Message, None).await;
    }

    /// Lets the critic look at what the agent does.
    pub(crate) async fn judge_action(self, event: &mut ActionEvent) {
        let result = self.judge(Occasion::Action(event), Some(event)).await;
        event.critic_result = result;
    }

    async fn judge(
        self,
        occasion: Occasion<'_>,
        last_action: Option<&ActionEvent>,
    ) -> Option<CriticResult> {
        let critic = self.equipment.critic.as_ref()?;
        if !critic::is_due(critic, occasion) {
            return None;
        }
        let patch = self.patch(critic).await;
        let view = {
            let mut writer = self.conversation.writer().await;
            writer.branch().await.ok()?.view.clone()
        };
        let tools = self.equipment.tools.specs();
        let evidence = Evidence {
            view: &view,
            last_action,
            tools: &tools,
            git_patch: patch.as_deref(),
        };
        let web = &self.conversation.host.web;
        let judged = critic::evaluate(critic, evidence, web, self.cancel.clone()).await;
        judged
            .inspect_err(|error| tracing::warn!(%error, "the critic failed"))
            .ok()
    }

    /// What was changed in the repository, for the critics that look at it.
    async fn patch(self, critic: &Critic) -> Option<String> {
        if !matches!(critic, Critic::AgentFinished(_) | Critic::EmptyPatch(_)) {
            return None;
        }
        let workspace = self.equipment.runtime.workspace();
        let done = workspace
            .exec(Exec::shell(PATCH), self.cancel.clone())
            .await;
        let output = done.ok()?;
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Asks the agent to go over its work again, if the critic was not satisfied. Says whether it did.
    pub(crate) async fn refine(self, finish: &ActionEvent) -> Result<bool, StepError> {
        let Some(critic) = &self.equipment.critic else {
            return Ok(false);
        };
        let before = {
            let state = self.conversation.state.read();
            let known = state.agent_state.0.get(ITERATION_KEY);
            known.and_then(Value::as_i64).unwrap_or(0)
        };
        let Some(refinement) = critic::refine(critic, finish.critic_result.as_ref(), before) else {
            // The next task gets its own rounds.
            if before != 0 {
                self.count_refinements(0).await?;
            }
            return Ok(false);
        };
        self.count_refinements(refinement.iteration).await?;
        let mut writer = self.conversation.writer().await;
        writer.say(Source::User, refinement.message).await?;
        Ok(true)
    }

    async fn count_refinements(self, count: i64) -> Result<(), ConversationError> {
        let state = {
            let mut state = self.conversation.state.write();
            state
                .agent_state
                .0
                .insert(ITERATION_KEY.to_owned(), count.into());
            state.agent_state.clone()
        };
        self.conversation
            .writer()
            .await
            .tell("agent_state", &state)
            .await
    }
}

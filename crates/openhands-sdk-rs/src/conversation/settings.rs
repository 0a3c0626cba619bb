//! Changing a conversation's settings while it lives.

use std::sync::Arc;

use indexmap::IndexMap;
use openhands_protocol::agent::AgentSpec;
use openhands_protocol::llm::Llm;
use openhands_protocol::secrets::SecretInput;
use openhands_protocol::security::{ConfirmationPolicy, SecurityAnalyzer};

use crate::conversation::{Conversation, ConversationError, Equipment};
use crate::security;

impl Conversation {
    /// Which actions wait for the user, from now on.
    pub async fn set_confirmation_policy(
        &self,
        policy: ConfirmationPolicy,
    ) -> Result<(), ConversationError> {
        self.command(|this| async move {
            let mut writer = this.inner.writer().await;
            if this.inner.state.read().confirmation_policy == policy {
                return Ok(());
            }
            this.inner.state.write().confirmation_policy = policy.clone();
            writer.tell("confirmation_policy", &policy).await?;
            writer.save().await
        })
        .await
    }

    /// Who says how risky actions are, from now on.
    pub async fn set_security_analyzer(
        &self,
        analyzer: Option<SecurityAnalyzer>,
    ) -> Result<(), ConversationError> {
        let made = analyzer.as_ref().map(security::analyzer).transpose()?;
        let analyzer = analyzer.map(Box::new);
        self.command(|this| async move {
            this.re_equip(|equipment| equipment.analyzer = made).await;
            let mut writer = this.inner.writer().await;
            if this.inner.state.read().security_analyzer == analyzer {
                return Ok(());
            }
            this.inner
                .state
                .write()
                .security_analyzer
                .clone_from(&analyzer);
            writer.tell("security_analyzer", &analyzer).await?;
            writer.save().await
        })
        .await
    }

    /// Which model the agent asks, from its next step on.
    pub async fn switch_llm(&self, llm: Llm) -> Result<(), ConversationError> {
        let model = self.inner.model(&llm)?;
        self.command(|this| async move {
            let switched = llm.clone();
            this.re_equip(|equipment| {
                equipment.model = model;
                equipment.llm = switched;
                equipment.measure();
            })
            .await;
            let mut writer = this.inner.writer().await;
            let agent = {
                let mut state = this.inner.state.write();
                if let AgentSpec::Agent(agent) = &mut state.agent {
                    agent.llm = llm;
                }
                state.agent.clone()
            };
            writer.tell("agent", &agent).await?;
            writer.save().await
        })
        .await
    }

    /// Adds secrets. Their values are hidden from now on in all that leaves the conversation.
    pub async fn update_secrets(
        &self,
        secrets: IndexMap<String, SecretInput>,
    ) -> Result<(), ConversationError> {
        self.command(|this| async move {
            this.inner
                .added_secrets
                .lock()
                .extend(secrets.keys().cloned());
            this.inner.secrets.merge(secrets);
            let mut writer = this.inner.writer().await;
            this.inner.state.write().secret_registry = this.inner.secrets.export();
            writer.save().await
        })
        .await
    }

    /// Puts these tags in the place of the present ones.
    pub async fn set_tags(&self, tags: IndexMap<String, String>) -> Result<(), ConversationError> {
        self.command(|this| async move {
            let mut writer = this.inner.writer().await;
            if this.inner.state.read().tags == tags {
                return Ok(());
            }
            this.inner.state.write().tags.clone_from(&tags);
            writer.tell("tags", &tags).await?;
            writer.save().await
        })
        .await
    }

    /// Changes what the agent works with. A step that is under way goes on with what it has.
    async fn re_equip(&self, change: impl FnOnce(&mut Equipment)) {
        let mut slot = self.inner.equipment.lock().await;
        if let Some(equipment) = slot.as_mut() {
            change(Arc::make_mut(equipment));
        }
    }
}

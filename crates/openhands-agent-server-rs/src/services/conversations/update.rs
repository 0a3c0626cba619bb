//! Changing title, tags and rules of a conversation.

use std::sync::Arc;

use indexmap::IndexMap;
use openhands_protocol::conversation::ConversationInfo;
use openhands_protocol::security::{ConfirmationPolicy, SecurityAnalyzer};

use crate::services::conversations::{Conversations, Entry, Held, RefusedRequest};

impl Conversations {
    /// Gives a conversation another title or other tags.
    pub(crate) async fn update(
        &self,
        held: &Held,
        title: Option<String>,
        tags: Option<IndexMap<String, String>>,
    ) -> Result<(), RefusedRequest> {
        if let Some(tags) = &tags {
            held.conversation().set_tags(tags.clone()).await?;
        }
        held.entry()
            .change(&self.host, |meta| {
                if title.is_some() {
                    meta.title = title;
                }
                if let Some(tags) = tags {
                    meta.tags = tags;
                }
                meta.updated_at = openhands_protocol::UtcTime::now();
            })
            .await?;
        self.tell_webhooks(held.entry()).await;
        Ok(())
    }

    /// Which actions wait for the user, from now on, also after a restart.
    pub(crate) async fn set_policy(
        &self,
        held: &Held,
        policy: ConfirmationPolicy,
    ) -> Result<(), RefusedRequest> {
        held.conversation()
            .set_confirmation_policy(policy.clone())
            .await?;
        held.entry()
            .change(&self.host, |meta| meta.confirmation_policy = policy)
            .await
    }

    /// Who says how risky actions are, from now on, also after a restart.
    pub(crate) async fn set_analyzer(
        &self,
        held: &Held,
        analyzer: Option<SecurityAnalyzer>,
    ) -> Result<(), RefusedRequest> {
        held.conversation()
            .set_security_analyzer(analyzer.clone())
            .await?;
        held.entry()
            .change(&self.host, |meta| {
                meta.security_analyzer = analyzer.map(Box::new);
            })
            .await
    }

    /// Stops a conversation after its present step.
    pub(crate) async fn pause(&self, held: &Held) -> Result<(), RefusedRequest> {
        held.conversation().pause().await?;
        self.tell_webhooks(held.entry()).await;
        Ok(())
    }

    /// Stops a conversation at once.
    pub(crate) async fn interrupt(&self, held: &Held) -> Result<(), RefusedRequest> {
        held.conversation().interrupt().await?;
        self.tell_webhooks(held.entry()).await;
        Ok(())
    }

    /// Tells whoever is to be told that a conversation is another one now.
    pub(super) async fn tell_webhooks(&self, entry: &Arc<Entry>) {
        if let Some(info) = self.webhook_info(entry).await {
            self.webhooks.conversation(&info);
        }
    }

    /// What webhooks are told about a conversation; none if there are none.
    pub(super) async fn webhook_info(&self, entry: &Arc<Entry>) -> Option<ConversationInfo> {
        if self.webhooks.is_empty() {
            return None;
        }
        match self.info(entry).await {
            Ok(info) => Some(info),
            Err(error) => {
                tracing::warn!(conversation = %entry.id(), %error, "webhooks cannot be told about a conversation");
                None
            }
        }
    }
}

//! Titles: the first message of a user gets the conversation one, in the background.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use openhands_protocol::event::MessageEvent;
use openhands_protocol::llm::Llm;
use openhands_protocol::message::Content;

use crate::services::conversations::{Conversations, Entry, RefusedRequest};

impl Conversations {
    /// Makes a title of a message, if the conversation wants one and has none. Does not wait.
    pub(super) fn title_later(&self, entry: &Arc<Entry>, message: &MessageEvent) {
        if !entry.look(|meta| meta.autotitle && meta.title.is_none()) {
            return;
        }
        let texts: Vec<_> = message
            .llm_message
            .content
            .iter()
            .filter_map(Content::as_text)
            .collect();
        let text = texts.join(" ").trim().to_owned();
        if text.is_empty() || entry.is_titled.swap(true, Ordering::AcqRel) {
            return;
        }
        let (Some(this), entry) = (self.me.upgrade(), Arc::clone(entry)) else {
            return;
        };
        let stop = self.stop.clone();
        self.tasks.spawn(async move {
            let made = stop
                .run_until_cancelled(Box::pin(this.title(&entry, &text)))
                .await;
            if let Some(Err(error)) = made {
                entry.is_titled.store(false, Ordering::Release);
                tracing::warn!(conversation = %entry.id(), %error, "no title could be made");
            }
        });
    }

    async fn title(&self, entry: &Arc<Entry>, message: &str) -> Result<(), RefusedRequest> {
        let held = self.load(entry).await?;
        let (prompt, profile) =
            entry.look(|meta| (meta.prompt.clone(), meta.title_llm_profile.clone()));
        let llm = self.title_llm(profile.as_deref()).await;
        let title = held
            .conversation()
            .make_title(message, prompt.as_deref(), llm)
            .await?;
        entry
            .change(&self.host, |meta| {
                // Somebody may have given it one meanwhile.
                meta.title.get_or_insert(title);
            })
            .await?;
        self.tell_webhooks(entry).await;
        Ok(())
    }

    /// The saved model that makes titles, if one is named and can be had.
    async fn title_llm(&self, profile: Option<&str>) -> Option<Llm> {
        let (profiles, name) = (self.host.profiles.as_ref()?, profile?);
        let loaded = profiles.load(name).await;
        loaded
            .inspect_err(|error| {
                tracing::warn!(%error, "the model for titles cannot be had; the agent's is used");
            })
            .ok()
    }
}

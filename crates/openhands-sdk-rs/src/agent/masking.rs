//! Secrets stay out of what the agent says and does.

use openhands_protocol::event::{ActionEvent, MessageEvent};

use crate::agent::step::Step;
use crate::secrets::Masker;

impl Step<'_> {
    /// Hides all values. Those that are kept elsewhere are fetched first: a value can be in an output although no
    /// command named it.
    pub(crate) async fn masker(self) -> Masker {
        self.conversation.secrets.masker().await
    }

    /// Hides the values that are known by now, without waiting for the others.
    pub(crate) fn known_masker(self) -> Masker {
        self.conversation.secrets.known_masker()
    }

    /// Hides secrets in what the agent says.
    pub(crate) async fn mask_message(self, event: &mut MessageEvent) {
        self.masker().await.mask_message(&mut event.llm_message);
    }

    /// Hides secrets in what the agent thinks before a call. The call itself stays: it must run as it was meant.
    pub(crate) async fn mask_action(self, event: &mut ActionEvent) {
        let masker = self.masker().await;
        masker.mask_texts(&mut event.thought);
        if let Some(reasoning) = &mut event.reasoning_content {
            masker.mask_string(reasoning);
        }
    }
}

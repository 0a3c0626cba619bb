//! Secrets stay out of what the agent says and does.

use openhands_protocol::event::{ActionEvent, MessageEvent};

use crate::agent::step::Step;
use crate::secrets::Masker;

impl Step<'_> {
    /// Hides the values that are known by now.
    pub(crate) fn masker(self) -> Masker {
        self.conversation.secrets.known_masker()
    }

    /// Hides secrets in what the agent says.
    pub(crate) fn mask_message(self, event: &mut MessageEvent) {
        self.masker().mask_message(&mut event.llm_message);
    }

    /// Hides secrets in what the agent thinks before a call. The call itself stays: it must run as it was meant.
    pub(crate) fn mask_action(self, event: &mut ActionEvent) {
        let masker = self.masker();
        masker.mask_texts(&mut event.thought);
        if let Some(reasoning) = &mut event.reasoning_content {
            masker.mask_string(reasoning);
        }
    }
}

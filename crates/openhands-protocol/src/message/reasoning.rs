//! What a model thought before it answered. It must go back to the model unchanged.

use crate::union::union;
use crate::wire::wire;

wire! {
    /// Thinking in clear, signed by the provider.
    pub struct ThinkingText ["type" = "thinking"] (default) {
        thinking: String,
        signature: Option<String> = None,
    }

    /// Thinking that the provider encrypted.
    pub struct RedactedThinkingBlock ["type" = "redacted_thinking"] (default) {
        data: String,
    }

    /// A reasoning item of the Responses API.
    pub struct ReasoningItem (default) {
        id: Option<String> = None,
        summary: Vec<String> = Vec::new(),
        content: Option<Vec<String>> = None,
        encrypted_content: Option<String> = None,
        status: Option<String> = None,
    }
}

union! {
    /// A block of thinking.
    pub enum ThinkingBlock by "type" {
        Thinking(ThinkingText),
        Redacted(RedactedThinkingBlock),
    }
}

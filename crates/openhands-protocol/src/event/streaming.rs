//! What comes from the model besides its answer.

use crate::event::Source;
use crate::wire::wire;

wire! {
    /// A piece of an answer that is still being written. Never stored.
    pub struct StreamingDeltaEvent ["kind" = "StreamingDeltaEvent"] event [header: Some(Source::Agent)] {
        content: Option<String> = None,
        reasoning_content: Option<String> = None,
    }

    /// A logged request and response of the model.
    pub struct LlmCompletionLogEvent ["kind" = "LLMCompletionLogEvent"] event [header: Some(Source::Environment)] {
        filename: String,
        /// JSON text.
        log_data: String,
        model_name: String = "unknown".to_owned(),
        usage_id: String = "default".to_owned(),
    }

    /// Token ids of a prompt and its answer.
    pub struct TokenEvent ["kind" = "TokenEvent"] event [header: None] {
        prompt_token_ids: Vec<i64>,
        response_token_ids: Vec<i64>,
    }
}

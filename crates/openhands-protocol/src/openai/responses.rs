//! The responses API that the server itself offers.

use indexmap::IndexMap;

use crate::json::JsonObject;
use crate::openai::OpenAiRole;
use crate::openai::TextOr;
use crate::wire::wire;

wire! {
    /// A part of a message.
    pub struct OpenAiResponseInputContentPart (default) {
        kind as "type": String,
        text: Option<String> = None,
        image_url: Option<String> = None,
    }

    /// A message.
    pub struct OpenAiResponseInputMessage {
        role: OpenAiRole,
        content: TextOr<Vec<OpenAiResponseInputContentPart>>,
    }

    /// What to answer.
    pub struct OpenAiResponseRequest {
        model: String,
        input: TextOr<Vec<OpenAiResponseInputMessage>>,
        instructions: Option<String> = None,
        previous_response_id: Option<String> = None,
        store: bool = false,
        stream: bool = false,
        metadata: Option<IndexMap<String, String>> = None,
    }

    /// Text of an answer.
    pub struct OpenAiResponseOutputText (default) {
        annotations: Vec<JsonObject>,
        text: String,
        kind as "type": String = "output_text".to_owned(),
    }

    /// A message of an answer.
    pub struct OpenAiResponseOutputMessage (default) {
        id: String,
        content: Vec<OpenAiResponseOutputText>,
        role: String = "assistant".to_owned(),
        status: String = "completed".to_owned(),
        kind as "type": String = "message".to_owned(),
    }

    /// What the prompt tokens were.
    pub struct OpenAiResponseInputTokensDetails (default) {
        cached_tokens: i64,
    }

    /// What the answer tokens were.
    pub struct OpenAiResponseOutputTokensDetails (default) {
        reasoning_tokens: i64,
    }

    /// Tokens used.
    pub struct OpenAiResponseUsage (default) {
        input_tokens: i64,
        input_tokens_details: OpenAiResponseInputTokensDetails,
        output_tokens: i64,
        output_tokens_details: OpenAiResponseOutputTokensDetails,
        total_tokens: i64,
    }

    /// A whole answer.
    pub struct OpenAiResponse (default) {
        id: String,
        created_at: f64,
        completed_at: f64,
        instructions when some: Option<String> = None,
        metadata when some: Option<IndexMap<String, String>> = None,
        model: String,
        object: String = "response".to_owned(),
        output: Vec<OpenAiResponseOutputMessage>,
        parallel_tool_calls: bool = false,
        previous_response_id when some: Option<String> = None,
        status: String = "completed".to_owned(),
        tool_choice: String = "none".to_owned(),
        tools: Vec<IndexMap<String, String>>,
        usage: OpenAiResponseUsage,
    }
}

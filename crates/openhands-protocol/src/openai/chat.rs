//! The chat completions API that the server itself offers.

use crate::json::Json;
use crate::openai::TextOr;
use crate::text::words;
use crate::wire::wire;

words! {
    /// Whose message it is.
    pub open enum OpenAiRole {
        System = "system",
        Developer = "developer",
        User = "user",
        Assistant = "assistant",
        Tool = "tool",
    }
}

wire! {
    /// An image.
    pub struct OpenAiImageUrl (default) {
        url: String,
    }

    /// A part of a message.
    pub struct OpenAiContentPart (default) {
        kind as "type": String,
        text: Option<String> = None,
        image_url: Option<TextOr<OpenAiImageUrl>> = None,
    }

    /// A message.
    pub struct OpenAiChatMessage (default) {
        role: OpenAiRole,
        content: Option<TextOr<Vec<OpenAiContentPart>>> = None,
    }

    /// How an answer is streamed.
    pub struct OpenAiStreamOptions (default) {
        include_usage: bool = false,
    }

    /// Messages to answer.
    pub struct OpenAiChatCompletionRequest (default) {
        model: String,
        messages: Vec<OpenAiChatMessage>,
        stream: bool = false,
        stream_options: Option<OpenAiStreamOptions> = None,
    }

    /// An answer.
    pub struct ChatCompletionMessage (default) {
        content: Option<String> = None,
        refusal when some: Option<String> = None,
        role: String,
        annotations when some: Option<Vec<Json>> = None,
        audio when some: Option<Json> = None,
        function_call when some: Option<Json> = None,
        tool_calls when some: Option<Vec<Json>> = None,
    }

    /// An answer and why it ended.
    pub struct Choice (default) {
        finish_reason: String,
        index: i64,
        logprobs when some: Option<Json> = None,
        message: ChatCompletionMessage,
    }

    /// What the prompt tokens were.
    pub struct PromptTokensDetails (default) {
        audio_tokens when some: Option<i64> = None,
        cache_write_tokens when some: Option<i64> = None,
        cached_tokens when some: Option<i64> = None,
    }

    /// What the answer tokens were.
    pub struct CompletionTokensDetails (default) {
        accepted_prediction_tokens when some: Option<i64> = None,
        audio_tokens when some: Option<i64> = None,
        reasoning_tokens when some: Option<i64> = None,
        rejected_prediction_tokens when some: Option<i64> = None,
    }

    /// Tokens used.
    pub struct CompletionUsage (default) {
        completion_tokens: i64,
        prompt_tokens: i64,
        total_tokens: i64,
        completion_tokens_details when some: Option<CompletionTokensDetails> = None,
        prompt_tokens_details when some: Option<PromptTokensDetails> = None,
    }

    /// A whole answer.
    pub struct ChatCompletion (default) {
        id: String,
        choices: Vec<Choice>,
        created: i64,
        model: String,
        object: String,
        moderation when some: Option<Json> = None,
        service_tier when some: Option<String> = None,
        system_fingerprint when some: Option<String> = None,
        usage when some: Option<CompletionUsage> = None,
    }

    /// A model.
    pub struct Model (default) {
        id: String,
        created: i64,
        object: String,
        owned_by: String,
    }

    /// All models.
    pub struct OpenAiModelListResponse (default) {
        object: String = "list".to_owned(),
        data: Vec<Model>,
    }
}

wire! {
    /// What a chunk of a streamed answer adds.
    pub struct ChatCompletionDelta (default) {
        content when some: Option<String> = None,
        role when some: Option<String> = None,
    }

    /// A piece of an answer.
    pub struct ChunkChoice (default) {
        delta: ChatCompletionDelta,
        finish_reason when some: Option<String> = None,
        index: i64,
    }

    /// A chunk of a streamed answer.
    pub struct ChatCompletionChunk (default) {
        id: String,
        choices: Vec<ChunkChoice>,
        created: i64,
        model: String,
        object: String = "chat.completion.chunk".to_owned(),
        usage when some: Option<CompletionUsage> = None,
    }
}

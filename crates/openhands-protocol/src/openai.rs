//! The OpenAI-style API that the server offers.

mod chat;
mod responses;
mod text_or;

pub use chat::{
    ChatCompletion, ChatCompletionChunk, ChatCompletionDelta, ChatCompletionMessage, Choice,
    ChunkChoice, CompletionTokensDetails, CompletionUsage, Model, OpenAiChatCompletionRequest,
    OpenAiChatMessage, OpenAiContentPart, OpenAiImageUrl, OpenAiModelListResponse, OpenAiRole,
    OpenAiStreamOptions, PromptTokensDetails,
};
pub use responses::{
    OpenAiResponse, OpenAiResponseInputContentPart, OpenAiResponseInputMessage,
    OpenAiResponseInputTokensDetails, OpenAiResponseOutputMessage, OpenAiResponseOutputText,
    OpenAiResponseOutputTokensDetails, OpenAiResponseRequest, OpenAiResponseUsage,
};
pub use text_or::TextOr;

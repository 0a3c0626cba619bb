//! Talks to language models: messages and tool schemas in, a stream of parts out.
//!
//! The crate knows no tools and no conversations. [`ChatModel`] is the seam: [`connect`] makes one from a
//! model's settings, [`ScriptedModel`] is one that plays a script.
//!
//! ```text
//! connect ──► prompt_tools (calls as text, if need be) ──► retry ──► renew (another key) ──► genai (one attempt)
//! model, fold        a question, its answer in parts, the whole answer
//! model_name, target "provider/model" -> address, headers, protocol
//! features, catalog  what a model can do, its limits and prices
//! usage, error       what a call used; what went wrong, in the classes that clients know
//! images             images that the model takes        record   logs of calls
//! vars               settings from variables            by_arc   what is made once of shared messages
//! fallback, router   another model when one fails; a model per call
//! scripted           a model that plays a JSON script
//! ```

mod aws_token;
mod by_arc;
mod catalog;
mod catalog_file;
mod connect;
mod error;
mod fallback;
mod features;
mod fetch_image;
mod fold;
mod genai;
mod images;
mod model;
mod model_name;
mod place;
mod prompt_tools;
mod record;
mod renew;
mod retry;
mod router;
mod scripted;
mod spaced_json;
mod target;
mod tokens;
mod usage;
mod vars;

pub use self::genai::{GenaiModel, Http};
pub use catalog::{Catalog, Prices};
pub use connect::{Connector, connect};
pub use error::{Cause, LlmError, LlmErrorKind};
pub use fallback::FallbackModel;
pub use features::{ModelFeatures, Thinking};
pub use fold::Fold;
pub use model::{
    CallOptions, ChatModel, ChatRequest, Completion, PartStream, ReasoningDelta, Restart,
    StopReason, StreamPart, ToolCallDelta, Usage,
};
pub use model_name::{ModelName, Provider, Service};
pub use prompt_tools::PromptToolsModel;
pub use record::{CompletionLog, CompletionSink, LogFolder};
pub use renew::{CredentialSource, Credentials};
pub use retry::{RetryModel, RetryPolicy};
pub use router::RouterModel;
pub use scripted::ScriptedModel;
pub use spaced_json::to_text as spaced_json;
pub use target::{Protocol, Target};
pub use tokens::estimate_tokens;
pub use usage::record;
pub use vars::llm_from_vars;

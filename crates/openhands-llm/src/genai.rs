//! One attempt at a call.
//!
//! The three protocols that matter most are written and read here in full, so that nothing is lost on the way:
//! argument text stays as the model wrote it, ids and signatures come back unchanged, tools can show images. All
//! other protocols go through the `genai` client and its types.
//!
//! ```text
//! chat_body  responses_body  messages_body     ChatRequest -> body     library_request   -> genai's types
//! chat_reply responses_reply messages_reply    reply -> StreamPart     library_reply     genai's types ->
//! direct, sse   bodies sent, replies split into events
//! settings      what goes into every request      attempt   time limits and cancellation around a reply
//! body          requests put together from what was written before
//! watch         spans and logs
//! failure       errors of the transport and of genai in our classes
//! ```

mod attempt;
mod body;
mod chat_body;
mod chat_reply;
mod direct;
mod failure;
mod library_reply;
mod library_request;
mod messages_body;
mod messages_reply;
mod model;
mod reply;
mod responses_body;
mod responses_reply;
mod settings;
mod sse;
mod watch;

pub(crate) use settings::Settings;

pub use model::{GenaiModel, Http};

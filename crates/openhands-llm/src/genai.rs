//! One attempt at a call, over the `genai` client.
//!
//! Requests to the three protocols that matter most are written here in full and given to the library as the
//! body to send; their replies are read from the raw frames that it hands out. So nothing is lost on the way:
//! argument text stays as the model wrote it, ids and signatures come back unchanged. All other protocols go
//! through the library's own types.
//!
//! ```text
//! chat_body  responses_body  messages_body  library_request    ChatRequest -> wire
//! chat_reply responses_reply messages_reply library_reply      wire -> StreamPart
//! settings   what goes into every request      attempt   time limits and cancellation around a reply
//! failure    the library's errors in our classes
//! ```

mod attempt;
mod chat_body;
mod chat_reply;
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

pub use model::{GenaiModel, Http};

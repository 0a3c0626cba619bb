//! The SDK for software agents: one crate to depend on.
//!
//! The lower crates are re-exported whole: [`protocol`] is what is on the wire and on disk, [`process`] runs
//! children and the persistent shell, [`tools`] are the hands, [`runtime`] is where they work, [`llm`] talks to models.

pub mod agent;
mod builtin;
pub mod condenser;
pub mod conversation;
pub mod critic;
pub mod event_log;
pub mod hooks;
pub mod mcp;
pub mod memory;
pub mod prompt;
pub mod secrets;
pub mod security;
pub mod skills;
pub mod subagents;
pub mod title;
pub mod view;

pub use conversation::{
    Conversation, ConversationConfig, ConversationError, Decision, Host, Live, RunEnd,
    Subscription, Update,
};
pub use llm::ScriptedModel;
pub use protocol::agent::Agent;
pub use protocol::llm::Llm;
pub use protocol::message::{Message, Role};
pub use protocol::tool::Tool;
pub use protocol::{ConversationId, Event};

pub use openhands_llm as llm;
pub use openhands_process as process;
pub use openhands_protocol as protocol;
pub use openhands_runtime as runtime;
pub use openhands_tools as tools;

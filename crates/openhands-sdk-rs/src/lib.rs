//! The SDK for software agents: one crate to depend on.
//!
//! A [`Host`] is what all conversations of a program share: models, tools, a place to keep things. A [`Conversation`] is
//! an [`Agent`] at work in a directory: you say something, it runs, and every event is stored before anybody sees it.
//!
//! ```
//! use std::sync::Arc;
//! use openhands_sdk_rs::{Agent, Conversation, ConversationConfig, Host, Llm, Message, RunEnd, ScriptedModel, Tool};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let workspace = tempfile::tempdir()?;
//! // A script in place of a model. Without `with_model` the host asks the model that the agent names.
//! let script = serde_json::json!([
//!     {"text": "I count the lines.", "tools": [{"name": "terminal", "args": {"command": "printf 'a\\nb\\n' | wc -l"}}]},
//!     "There are two.",
//! ]);
//! # let env = vec![("PATH".to_owned(), std::env::var("PATH")?)];
//! let host = Host::new(env).with_model(Arc::new(ScriptedModel::from_value(&script)?));
//!
//! let agent = Agent::new(Llm::default(), [Tool::new("terminal")]);
//! let config = ConversationConfig::new(agent, workspace.path());
//! let conversation = Conversation::create(&Arc::new(host), config).await?;
//! conversation.send_message(Message::user("How many lines are there?")).await?;
//!
//! assert_eq!(conversation.run_to_end().await?, RunEnd::Finished);
//! assert_eq!(conversation.final_response().await?, "There are two.");
//! conversation.close().await?;
//! # Ok(())
//! # }
//! ```
//!
//! | To do this | look at |
//! |---|---|
//! | watch words, output and events as they come | [`Conversation::subscribe`], [`Update`] |
//! | read or search what happened | [`Conversation::events`], [`event_log::EventLog`] |
//! | keep conversations, and go on after a crash | [`Host::keeping_in`], [`Conversation::open`] |
//! | let risky actions wait | [`security`], [`ConversationConfig::confirmation_policy`], [`Conversation::respond`] |
//! | stop it | [`Conversation::pause`], [`Conversation::interrupt`] |
//! | copy it, or go back to an earlier event | [`Conversation::fork`], [`Conversation::navigate`] |
//! | add tools | [`tools::Registry`], [`mcp`] |
//! | give it knowledge | [`skills`], [`protocol::agent::AgentContext`] |
//! | let it work in a container | [`Host::in_docker`], [`runtime::docker`] |
//! | let it have helpers | [`subagents`] |
//! | run commands of your own at certain moments | [`hooks`] |
//! | use secrets that nobody sees | [`secrets`], [`Conversation::update_secrets`] |
//!
//! Each concept has a short example that runs without a key: `cargo run -p openhands-sdk-rs --example streaming`.
//!
//! The lower crates are re-exported whole: [`protocol`] is what is on the wire and on disk, [`process`] runs
//! children and the persistent shell, [`tools`] are the hands, [`runtime`] is where they work, [`llm`] talks to models.
//! This crate reads no environment variables: what it needs is passed in.

pub mod agent;
mod builtin;
mod condenser;
pub mod conversation;
mod critic;
pub mod event_log;
pub mod hooks;
pub mod mcp;
mod memory;
// Users need neither the prompt nor the view; measurements and tests do.
#[doc(hidden)]
pub mod prompt;
pub mod secrets;
pub mod security;
pub mod skills;
pub mod subagents;
pub mod title;
#[doc(hidden)]
pub mod view;

pub use builtin::knows as is_builtin_tool;
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

/// The code in the documentation is compiled with the tests.
#[cfg(doctest)]
mod documentation {
    #[doc = include_str!("../../../docs/sdk.md")]
    pub struct Sdk;
    #[doc = include_str!("../../../README.md")]
    pub struct Readme;
}

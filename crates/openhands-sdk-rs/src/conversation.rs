//! A conversation: an agent, its state and its events, with one writer.
//!
//! ```text
//!  callers ── Conversation (cheap to clone) ──┐
//!                                             ▼
//!  run task ── agent::step ──────────────► Writer ──► EventLog (appended, then visible)
//!                                             ├─────► ConversationState (status by `transition`)
//!                                             └─────► Branch (view, open actions, latest events)
//!  readers ── snapshot, events, Subscription   never wait for a step
//! ```
//!
//! Whoever holds the `Writer` is the single writer. It is held for an append or a change of
//! state, never while a model or a tool is at work. A command that has begun is carried out even if its caller goes
//! away. A conversation that does nothing has no task.

mod answer;
mod branch;
mod child;
mod completion_log;
mod config;
mod confirm;
mod control;
mod equipment;
mod error;
mod fork;
mod goal;
mod host;
mod inner;
mod keeper;
mod live;
mod message;
mod open;
mod profiles;
mod recover;
mod run;
mod servers;
mod settings;
mod subscription;
mod toolbox;
mod transition;
mod versioned;
mod writer;

pub(crate) use branch::Branch;
pub use config::{ConversationConfig, Unsaved};
pub use confirm::Decision;
pub(crate) use control::INTERRUPTED;
pub(crate) use equipment::Equipment;
pub use error::ConversationError;
pub use fork::Fork;
pub use host::{
    ChildRequest, Children, Host, LoggedModels, Models, Observer, RuntimeRequest, Runtimes,
};
pub use inner::Conversation;
pub(crate) use inner::Inner;
pub use live::{DeltaKind, FullState, Live};
pub use profiles::{HeldProfiles, ProfileError, Profiles};
pub use recover::status_when_killed;
pub use run::RunEnd;
pub use subscription::{Subscription, Update};
pub use transition::{Cause, Refused, next};
pub use versioned::Versioned;
pub(crate) use writer::{Writer, update};

/// Whether a tool of this name lives with the conversation itself, so that every agent can have it.
pub fn has_built_in_tool(name: &str) -> bool {
    crate::builtin::knows(name)
}

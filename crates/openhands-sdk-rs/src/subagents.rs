//! Sub-agents: conversations that a conversation starts to have work done.
//!
//! ```text
//!   .md files, built-in ones, the client's ──► Catalog ──► agent    definition + parent's model ─► Agent
//!                                                            │
//!   tools (task, delegate), hooks ──────────────────────► Child    a conversation of its own, run to its end
//!                                                            │
//!                                     Kept (by task id) ◄────┴──► usage    what it cost, booked with the parent
//! ```
//!
//! A sub-agent has its own log, its own shell and its own limits. Its parent's log sees the call and its answer,
//! nothing else. It ends with the call that started it.

mod agent;
mod catalog;
mod child;
mod definition_file;
mod hook_mind;
mod kept;
mod load;
mod scope;
mod usage;

pub use catalog::{Catalog, UnknownAgent};
pub(crate) use child::{Child, Outcome, Plan};
pub use definition_file::{DefinitionError, read_definition};
pub(crate) use kept::{Kept, TaskOrder, run_task};
pub use load::{builtin_definitions, project_definitions, user_definitions};
pub(crate) use scope::{PARAMETER as SCOPE_PARAMETER, Scope};

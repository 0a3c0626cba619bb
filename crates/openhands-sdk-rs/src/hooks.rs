//! Hooks: programs, prompts and agents that are asked at six moments of a conversation.
//!
//! ```text
//! config    which hooks there are: hooks.json, checked and merged
//! Hooks     asks them; HookOutcome tells the loop what to store, whether to go on, and what to tell the model
//! HookMind  what the conversation lends to hooks that need a model or an agent
//! ```
//!
//! A command is told the moment as JSON on its standard input. Exit code 2, `"decision": "deny"` or
//! `"continue": false` in JSON on its standard output forbid the step; any other failure does not.

mod command;
pub mod config;
mod evaluate;
mod input;
mod matcher;
mod outcome;
mod run;
#[cfg(test)]
mod scene;
mod verdict;

pub use evaluate::{AgentHookAnswer, AgentHookTask, HookMind, HookUsage};
pub use matcher::matches;
pub use outcome::HookOutcome;
pub use run::{HookSetup, Hooks};

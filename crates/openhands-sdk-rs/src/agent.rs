//! The agent: from the view of a conversation to decisions, one step at a time.
//!
//! ```text
//! step ── request    view ─► ChatRequest
//!   │     sample     ask the model, pass on what it writes, book what it used
//!   │     interpret  reply ─► message or calls (repaired, validated); pure
//!   │     confirm    risk of a batch, and whether it waits for the user
//!   └──── execute    calls under their locks, each with exactly one result
//! stuck            does it go in circles?
//! repair           what models get wrong about calls
//! ```

mod condense;
mod confirm;
mod critique;
mod execute;
mod hooks;
mod interpret;
mod masking;
pub mod repair;
mod sample;
mod skilled;
mod step;
pub mod stuck;

pub(crate) use execute::panic_text;
pub(crate) use interpret::{Interpreter, PlannedCall, Reply};
pub(crate) use skilled::SkillInvoker;
pub(crate) use step::{StepError, step};

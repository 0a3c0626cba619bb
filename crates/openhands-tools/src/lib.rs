//! The hands: tools in two halves (definition, executor) and the engines they stand on.
//!
//! A **definition** is pure: it tells the model about the tool, turns a call's arguments into a validated action and
//! names what the action locks. An **executor** acts on the machine it is on and keeps the tool's state there. The
//! mind uses definitions without a sandbox; a runtime uses executors without a mind.
//!
//! ```text
//!   {"name", "params"} ─► Registry ─┬─► Definitions ── decode(arguments) ─► Action ─┐
//!                                   └─► ToolSet ◄──────── execute(action) ──────────┘ ─► Observation
//! ```
//!
//! This crate knows no language model, no agent and no HTTP.

mod absolute;
pub mod arguments;
mod blocking;
pub mod browser;
mod definition;
pub mod disk_room;
mod executor;
pub mod file_editor;
pub mod gemini;
pub mod ipython;
mod json_schema;
pub mod json_text;
pub mod patch;
pub mod planning;
pub mod pool;
mod presets;
pub mod python_repr;
mod registry;
mod resolve;
mod resources;
mod response_schema;
pub mod safe_write;
mod schema;
pub mod search;
mod standard;
pub mod task_tracker;
pub mod terminal;
pub mod truncate;

pub use absolute::absolute;
pub use blocking::{blocking, blocking_on_all_cores};
pub use definition::{Hints, ToolDefinition, spec};
pub use executor::{CallContext, OutputSink, ToolError, ToolExecutor};
pub use presets::{CondenserPreset, Preset, PresetOptions};
pub use registry::{
    CreateError, Definitions, Machine, Place, Registration, Registry, ToolSet, tool_name,
};
pub use resolve::resolve;
pub use resources::{LockGuard, Locks, ResourceLocks};
pub use schema::{Additions, chat_form, parameters, responses_form};

//! The `apply_patch` tool: several file changes in one text.

mod apply;
mod error;
mod locate;
mod parse;
mod text;
mod tool;
mod transaction;

pub use apply::{Applied, ApplyError, Change, apply_patch};
pub use error::PatchError;
pub use tool::{ApplyPatchExecutor, ApplyPatchTool, registration};

/// The tool's name.
pub const NAME: &str = "apply_patch";

//! The `terminal` tool: commands in one persistent shell.

mod definition;
// executor follows
mod literal;
mod scrollback;
mod statements;
mod texts;

pub use definition::TerminalTool;

/// The tool's name.
pub const NAME: &str = "terminal";

//! The `terminal` tool: commands in one persistent shell.

mod config;
mod definition;
mod executor;
mod literal;
mod render;
mod scrollback;
mod session;
mod statements;
pub mod texts;

pub use config::TerminalConfig;
pub use definition::TerminalTool;
pub use executor::TerminalExecutor;
pub(crate) use render::MAX_CHARS;
pub use render::for_model;
pub use session::{Answer, Call, End, Ran, TerminalSession};

use crate::registry::Registration;

/// The tool's name.
pub const NAME: &str = "terminal";

/// How the registry makes the tool.
pub fn registration() -> Registration {
    Registration::shared(
        |_| (),
        |()| TerminalTool::new(),
        |machine, params| TerminalConfig::new(machine, params).map(TerminalExecutor::new),
        NAME,
    )
}

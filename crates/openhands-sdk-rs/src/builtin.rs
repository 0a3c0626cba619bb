//! Tools that act on the conversation itself, and so live with the mind, whatever the runtime.

mod client;
mod finish;
mod think;

pub(crate) use client::ClientTool;

use openhands_tools::Registry;

/// The built-in tools by the names under which an agent can ask for them.
pub(crate) fn registry() -> Registry {
    let mut registry = Registry::empty();
    registry.register(finish::NAME, finish::registration());
    registry.register(think::NAME, think::registration());
    registry
}

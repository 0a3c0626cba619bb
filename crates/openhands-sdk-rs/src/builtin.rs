//! Tools that act on the conversation itself, and so live with the mind, whatever the runtime.

mod aside;
mod child;
mod client;
mod delegate;
mod finish;
mod oracle;
mod route;
mod seat;
mod stated;
mod switch_llm;
mod task;
mod think;
mod vision;
mod workflow;

pub(crate) use client::ClientTool;
pub(crate) use seat::Seat;
pub(crate) use vision::{NAME as VISION_TOOL, refer_to_images};

use std::sync::{Arc, LazyLock};

use openhands_tools::Registry;

/// The built-in tools of a conversation by the names under which an agent can ask for them.
pub(crate) fn registry(seat: &Arc<Seat>) -> Registry {
    let mut registry = Registry::empty();
    registry.register(finish::NAME, finish::registration());
    registry.register(think::NAME, think::registration());
    for name in ["task_tool_set", task::NAME] {
        registry.register(name, task::registration(seat));
    }
    registry.register(delegate::NAME, delegate::registration(seat));
    for name in ["workflow_tool_set", workflow::NAME] {
        registry.register(name, workflow::registration());
    }
    registry.register(oracle::NAME, oracle::registration(seat));
    registry.register(switch_llm::NAME, switch_llm::registration(seat));
    // The class has another name than the tool.
    for name in [route::NAME, "classify_and_switch_llm"] {
        registry.register(name, route::registration(seat));
    }
    for name in vision::NAMES {
        registry.register(name, vision::registration(seat));
    }
    registry.register(child::NAME, child::registration(seat));
    registry
}

/// The built-in tools without a conversation: their names.
pub(crate) fn names() -> &'static Registry {
    static NAMES: LazyLock<Registry> = LazyLock::new(|| registry(&Arc::default()));
    &NAMES
}

/// Whether a tool of this name, or of the class that it stands for, is built in.
pub fn knows(name: &str) -> bool {
    names().knows(name)
}

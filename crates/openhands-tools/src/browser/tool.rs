//! The browser tools of an agent: `browser_tool_set`.
//!
//! ```text
//!   14 × BrowserTool (what the model is told)      BrowserExecutor (limits, resets) ── Hands ── Browser
//!                                                     look: state, text    pointer, typing, travel: actions
//!                                                     tabs, storage, recording
//! ```

mod definition;
mod executor;
mod hands;
mod kind;
mod look;
mod params;
mod picture;
mod pointer;
mod recording;
mod sensitive;
mod state;
mod storage;
mod tabs;
mod travel;
mod typing;

pub use definition::BrowserTool;
pub use executor::BrowserExecutor;
pub use kind::Kind;
pub use params::{NAME, is_usable};

use crate::definition::ToolDefinition;
use crate::executor::ToolExecutor;
use crate::registry::Registration;
use std::sync::Arc;

/// How the registry makes the tools: fourteen of them, on one executor.
pub fn registration() -> Registration {
    Registration::new(
        |_, _| {
            let tools = Kind::ALL.into_iter().map(BrowserTool::new);
            Ok(tools
                .map(|tool| Arc::new(tool) as Arc<dyn ToolDefinition>)
                .collect())
        },
        |machine, params| {
            let executor: Arc<dyn ToolExecutor> = Arc::new(BrowserExecutor::new(machine, params)?);
            let names = Kind::ALL.into_iter().map(|kind| kind.name().to_owned());
            Ok(names.map(|name| (name, Arc::clone(&executor))).collect())
        },
    )
}

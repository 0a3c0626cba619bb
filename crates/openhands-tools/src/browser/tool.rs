//! The browser tools of an agent: `browser_tool_set`.

mod definition;
mod kind;
mod sensitive;
mod state;

pub use definition::BrowserTool;
pub use kind::Kind;

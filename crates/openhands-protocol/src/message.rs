//! Messages between user, agent and model.

mod content;

pub use content::{Content, ImageContent, TextContent};

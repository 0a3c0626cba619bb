//! The browser.

pub mod content;
pub mod tool;

//! The browser.

pub mod content;
pub mod elements;
pub mod tool;

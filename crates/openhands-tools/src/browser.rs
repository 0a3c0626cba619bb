//! The browser.

pub mod content;

//! The browser as BrowserGym shows it to agents.

pub mod language;

//! The browser as BrowserGym shows it to agents.

pub mod language;
mod perform;

pub use perform::Gym;

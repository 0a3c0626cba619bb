//! Hooks: programs that run at certain points of a conversation.

mod matcher;

pub use matcher::matches;

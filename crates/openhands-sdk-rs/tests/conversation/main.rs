//! Conversations through the public API: a scripted model, real tools, a real log.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod children;
mod profiles;
mod replay;
mod saving;
mod subagents;
mod surroundings;
mod thread;
mod unrecorded;
mod world;

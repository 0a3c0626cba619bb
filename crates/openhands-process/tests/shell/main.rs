//! The persistent shell, with a real bash on a real terminal.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::format_push_string
)]

mod basics;
mod fuzz;
mod hostile;
mod interaction;
mod random;
mod start;
mod support;
mod volume;

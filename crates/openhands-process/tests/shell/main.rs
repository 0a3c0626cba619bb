//! The persistent shell, with a real bash on a real terminal.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod basics;
mod interaction;
mod support;

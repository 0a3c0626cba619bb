//! The examples are run as a user runs them, and say what they promise.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

mod concepts;
mod demo;
mod play;

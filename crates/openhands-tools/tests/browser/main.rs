//! The browser engine on a real Chromium, with pages that the tests serve themselves.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

mod failures;
mod frames;
mod gym;
mod gym_actions;
mod gym_pointer;
mod input;
mod lab;
mod life;
mod navigation;
mod quiet;
mod settings;
mod site;
mod tabs;

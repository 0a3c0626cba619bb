//! The browser tools of an agent on a real Chromium, with pages that the tests serve themselves.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

mod actions;
mod content;
mod desk;
mod elements;
mod forms;
mod frames;
mod limits;
mod recording;
#[path = "../browser/site.rs"]
mod site;
mod state;
mod storage;
mod tabs;

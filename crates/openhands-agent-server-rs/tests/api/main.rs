//! The API of a real server in this process, group by group.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod git;
mod harness;
mod recording;
mod server_info;
mod vscode;

//! The API of a real server in this process, group by group.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod conversations;
mod git;
mod harness;
mod model;
mod openapi;
mod recording;
mod server_info;
mod sockets;
mod talk;
mod validation;
mod vscode;

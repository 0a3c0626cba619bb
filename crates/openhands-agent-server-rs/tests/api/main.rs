//! The API of a real server in this process, group by group.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod auth;
mod conversations;
mod cors;
mod git;
mod harness;
mod init;
mod metrics;
mod model;
mod recording;
mod server_info;
mod sockets;
mod stop;
mod talk;
mod vscode;

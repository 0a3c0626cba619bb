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
mod mcp_settings;
mod model;
mod hooks;
mod llm;
mod mcp;
mod recording;
mod secrets;
mod server_info;
mod settings;
mod sockets;
mod talk;
mod skills;
mod sub_agents;
mod tools;
mod vscode;

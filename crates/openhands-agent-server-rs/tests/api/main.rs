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
mod hooks;
mod llm;
mod mcp;
mod mcp_settings;
mod model;
mod recording;
mod secrets;
mod server_info;
mod settings;
mod skills;
mod sockets;
mod sub_agents;
mod talk;
mod tools;
mod vscode;

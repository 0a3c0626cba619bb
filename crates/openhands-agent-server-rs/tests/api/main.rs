//! The API of a real server in this process, group by group.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod git;
mod harness;
mod hooks;
mod llm;
mod mcp;
mod recording;
mod server_info;
mod skills;
mod sub_agents;
mod tools;
mod vscode;

//! The API of a real server in this process, group by group.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod agent_profiles;
mod conversations;
mod git;
mod harness;
mod hooks;
mod launch;
mod llm;
mod mcp;
mod mcp_settings;
mod model;
mod openapi;
mod profiles;
mod provider_connections;
mod recording;
mod scripted_llm;
mod secrets;
mod server_info;
mod settings;
mod skills;
mod sockets;
mod sub_agents;
mod talk;
mod tools;
mod validation;
mod vscode;

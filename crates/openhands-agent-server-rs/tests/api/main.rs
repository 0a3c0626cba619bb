//! The API of a real server in this process, group by group.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod agent_profiles;
mod git;
mod harness;
mod launch;
mod mcp_settings;
mod profiles;
mod provider_connections;
mod recording;
mod scripted_llm;
mod secrets;
mod server_info;
mod settings;
mod vscode;

//! The API of a real server in this process, group by group.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod agent_profiles;
mod auth;
mod conversations;
mod cors;
mod bash;
mod bash_socket;
mod files;
mod git;
mod harness;
mod hooks;
mod init;
mod launch;
mod llm;
mod mcp;
mod mcp_settings;
mod metrics;
mod model;
mod profiles;
mod provider_connections;
mod later;
mod openapi;
mod recording;
mod scripted_llm;
mod runtime;
mod secrets;
mod server_info;
mod settings;
mod skills;
mod sockets;
mod stop;
mod stores_handover;
mod sub_agents;
mod talk;
mod tools;
mod validation;
mod vscode;
mod workspace_files;
mod workspaces;

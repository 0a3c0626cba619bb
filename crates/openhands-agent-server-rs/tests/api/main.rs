//! The API of a real server in this process, group by group.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    // Tables of cases are long, and counts are exact.
    clippy::too_many_lines,
    clippy::items_after_statements,
    clippy::format_push_string,
    clippy::case_sensitive_file_extension_comparisons,
    clippy::float_cmp,
    // A skipped test says so.
    clippy::print_stdout
)]

mod agent_profiles;
mod auth;
mod bash;
mod bash_socket;
mod browser;
mod conversations;
mod cors;
mod files;
mod first_process;
mod git;
mod harness;
mod hooks;
mod init;
mod later;
mod launch;
mod llm;
mod mcp;
mod mcp_settings;
mod metrics;
mod model;
mod openapi;
mod profiles;
mod provider_connections;
mod recording;
mod runtime;
mod scripted_llm;
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
mod webhooks;
mod workspace_files;
mod workspaces;

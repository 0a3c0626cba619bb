//! The V0 runtime: the action execution server of OpenHands 0.62, which older backends start inside their sandbox.
//!
//! ```text
//! action-server PORT ── start ──► Sandbox ◄── routes: execute_action, transfer, server_info, plugins, mcp
//!                         │          │
//!                         │          └── actions/: run (terminal), read, write, edit (file editor), run_ipython, browse
//!                         └── user, shell, plugins, MCP, and only then the port: who can connect can work
//! ```
//!
//! A thin skin: the engines are those of the V1 tools. Nothing here knows of conversations or agents.

mod actions;
mod browser;
mod command;
mod editor_program;
mod envelope;
mod execute_action;
mod file_viewer;
mod mcp;
mod memory_monitor;
mod plugins;
mod read_body;
mod refusal;
mod routes;
mod sandbox;
mod server_info;
mod shell;
mod start;
mod stream;
mod transfer;
mod unpack;
mod user;
mod web_page;

pub use command::{ActionServerArgs, Settings};
pub use editor_program::{FileEditorArgs, edit_files};
pub use start::{ActionServer, serve_actions};

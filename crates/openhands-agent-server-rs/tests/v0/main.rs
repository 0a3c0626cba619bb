//! The V0 server as a process of its own, asked over HTTP as the backends of OpenHands 0.x do it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

mod agent_skills;
mod bad_input;
mod browse;
mod browsing_agent;
mod compare;
mod files;
mod ipython;
mod mcp;
mod replay;
mod run;
mod server;
mod side_servers;
mod site;
mod start;
mod stream;
mod vscode;

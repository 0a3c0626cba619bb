//! The client of the Model Context Protocol: servers that give an agent more tools.
//!
//! ```text
//!   settings ─ expand ─► config ─► McpServers ── one task each ─► server ─► connection ─► stdio │ http │ sse
//!                                      │ tools(), changes(), errors()         ▲
//!   agent  ◄── definition ── McpTool ◄─┘                                      │
//!          ─── execute ────► McpTool ────────────── call ─────────────────────┘
//! ```
//!
//! [`McpServers::start`] begins to start all servers of a conversation at once and returns; [`McpServers::ready`] waits
//! for those that still start. A server that fails costs the others nothing and has its error in
//! [`McpServers::errors`]. One that dies later is started again, a few times and with pauses that grow; its tools stay
//! listed meanwhile, and a call to one of them asks for an attempt at once and fails with its reason.
//!
//! A server's list of tools may change at any time: [`McpServers::changes`] tells when to take
//! [`McpServers::tools`] again.
//!
//! [`McpServers::relay`] is for programs that stand between clients and servers: requests and answers as they are.

mod arguments;
mod auth;
mod call;
mod config;
mod connection;
mod error;
mod expand;
mod filter;
mod handler;
mod http;
mod oauth;
mod oauth_discovery;
mod relay;
mod result;
mod server;
mod servers;
mod session;
mod sse;
mod stdio;
mod tool;

pub use config::{ConfigError, read_servers};
pub use error::ServerError;
pub use expand::{expand_arguments, expand_servers, variables_in_arguments, variables_in_servers};
pub(crate) use filter::Filter;
pub use oauth::SaveTokens;
pub use relay::{McpNotice, McpRelay, RelayError};
pub use servers::{McpOptions, McpServers, Restarts};
pub use tool::McpTool;

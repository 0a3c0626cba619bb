//! The OpenHands agent server: the V1 API over the SDK, and the V0 API over the same engines.
//!
//! ```text
//! main ─┬ serve ──► http::Door ──► v1, sockets ──► services ──► openhands-sdk-rs
//!       ├ v0 (action-server) ──► tools, process
//!       └ config (file, environment, arguments: read once)
//! ```
//!
//! [`App`] is everything that a running server holds. Handlers in `v1` and `sockets` are thin: they read typed input,
//! call a service, and write the answer in the form that clients of the Python server know.

mod app;
mod checks;
mod cli;
mod config;
mod connection;
mod dormant;
mod first_process;
mod hands;
mod http;
mod lanes;
mod memory;
mod openapi;
mod serve;
mod services;
mod sockets;
mod telemetry;
mod urgent;
mod v0;
mod v1;

pub use app::App;
pub use checks::{check_browser, check_health};
pub use cli::{Cli, Program};
pub use config::{
    Config, ConfigError, Environment, EventDurability, LogFormat, Sources, Surroundings,
    list_variables,
};
pub use first_process::run_as_first_process;
pub use http::{Argument, Door, Front, Operation, Place};
pub use lanes::runtime;
pub use memory::{keep_buffers, share_heaps};
pub use serve::{Server, serve};
pub use telemetry::Logs;
pub use v0::{ActionServer, ActionServerArgs, FileEditorArgs, Settings, edit_files, serve_actions};

//! The OpenHands agent server: the V1 API over the SDK.
//!
//! ```text
//! main ── serve ──► http::Door ──► v1, sockets ──► services ──► openhands-sdk-rs
//!            └──── config (file, environment, arguments: read once)
//! ```
//!
//! [`App`] is everything that a running server holds. Handlers in `v1` and `sockets` are thin: they read typed input,
//! call a service, and write the answer in the form that clients of the Python server know.

mod app;
mod cli;
mod config;
mod http;
mod serve;
mod services;
mod sockets;
mod v1;

pub use app::App;
pub use cli::Cli;
pub use config::{
    Config, ConfigError, Environment, EventDurability, LogFormat, Sources, Surroundings,
};
pub use http::{Argument, Door, Operation, Place};
pub use serve::{Server, serve};

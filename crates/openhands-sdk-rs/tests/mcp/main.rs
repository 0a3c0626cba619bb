//! The MCP client against real servers: programs, streamable HTTP and the older event streams.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    clippy::needless_pass_by_value,
    clippy::print_stdout,
    clippy::print_stderr
)]

mod agent;
mod calls;
mod lifecycle;
mod oauth;
mod reference;
mod relay;
mod server;
mod starting;
mod support;
mod web;

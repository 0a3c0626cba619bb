//! The tools of a server over MCP: by a plain client of the protocol, and by the runtime of an outer server.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod binary;
mod cancel;
mod faults;
mod files;
mod live_output;
mod overhead;
mod plain;
mod proxy;
mod runtime;
mod same;
mod secrets;
mod world;

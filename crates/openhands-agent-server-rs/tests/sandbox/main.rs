//! Conversations in containers: the real server as the outer one, a real engine, and the test image inside.
//!
//! The image is `$OPENHANDS_TEST_IMAGE`, else the one that `tests/docker/image` builds. Only the language model is scripted.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    clippy::too_many_lines
)]

mod choice;
mod docker;
mod faults;
#[path = "../../../openhands-runtime/tests/docker/gate.rs"]
mod gate;
mod keys;
mod model;
mod nested;
mod orphans;
mod own_data;
mod pull;
mod reattach;
#[path = "../../../openhands-runtime/tests/docker/registry.rs"]
mod registry;
mod restarted_engine;
mod routes;
mod starting;
mod works;
mod world;

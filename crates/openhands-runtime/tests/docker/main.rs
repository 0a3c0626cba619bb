//! Containers on a real engine, of the image that `OPENHANDS_TEST_IMAGE` names (`tests/docker/image` builds one).
//!
//! Without an engine or the image each test says that it is skipped; with `CI=true` it fails.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

mod basics;
mod build;
mod faults;
#[allow(dead_code, reason = "the tests of the server use the rest")]
mod gate;
mod isolation;
mod leftovers;
mod podman;
mod pool;
mod pull;
mod registry;
mod tools;
mod world;

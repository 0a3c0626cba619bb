//! The event log through its public interface: real files, real processes, real kills.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr
)]

mod appending;
mod background;
mod corruption;
mod disk;
mod following;
mod forking;
mod kill;
mod properties;
#[path = "../handover/python.rs"]
mod python;
mod reference;
mod scale;
mod searching;
mod state;
mod strict;
mod support;
mod together;

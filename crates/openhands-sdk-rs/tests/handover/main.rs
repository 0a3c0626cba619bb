//! Conversations that change hands: between this SDK and the Python reference, and after the death of a process.
//!
//! `tests/reference/install` installs the reference and prints what `OPENHANDS_REFERENCE_PYTHON` has to be.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr
)]

mod confirmation;
mod copies;
mod crash;
mod kill;
mod lease;
mod provider;
mod python;
mod reference;
mod restarts;
mod survivors;
mod worker;
mod world;

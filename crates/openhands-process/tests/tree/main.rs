//! Process trees, with real processes: each ends as a whole, however it ends.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

mod commands;
mod failures;
mod marks;
mod memory;
mod privileges;
mod reuse;
mod server;
mod signals;
mod survivors;
mod watchdog_death;

//! What work costs, in counts that no busy machine changes: allocations, system calls, bytes, threads, tasks. Each is held against
//! `budget.json`, so that a change that makes something dearer says so.
//!
//! A count is taken in a process of its own, started by the test that judges it: what runs beside it then counts nowhere.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    // A skipped test says so, and counts are printed.
    clippy::print_stdout,
    clippy::cast_precision_loss
)]

mod budget;
mod conversation;
mod counts;
#[allow(dead_code, reason = "the tests of the API use more of it")]
#[path = "../api/harness.rs"]
mod harness;
mod idle;
mod requests;
mod shell;
mod steps;

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

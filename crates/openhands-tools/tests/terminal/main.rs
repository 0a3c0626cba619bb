//! The terminal tool on a real shell: what the recorded cases cannot show.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod calls;
mod harness;
mod interrupts;
mod secrets;

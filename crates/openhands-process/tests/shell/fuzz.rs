//! Random commands of which everything is known beforehand: exit code, directory, output, and whether the shell
//! survives. Shared by the test suite and the `shell_fuzz` example.

#[path = "fuzz/generate.rs"]
mod generate;
#[path = "fuzz/random.rs"]
mod random;
#[path = "fuzz/run.rs"]
mod run;

pub(crate) use run::{Limits, fuzz};

//! What the sandbox can do, one action a file.

pub(super) mod browse;
mod browse_text;
pub(super) mod edit;
mod kernel_variables;
pub(super) mod read;
mod regular;
pub(super) mod run;
pub(super) mod run_ipython;
pub(super) mod write;

//! IPython: code in a kernel that keeps its variables, spoken to directly over ZeroMQ.
//!
//! ```text
//!   IPython ── Kernel ── guarded process: python -m ipykernel_launcher
//!    cells      │ ▲
//!    one by     │ │ shell (replies), iopub (output, status)     ipc sockets in a private folder,
//!    one        ▼ │ control (end), heartbeat (health)           every message signed
//!              Desk: sorts what comes to the cell that runs
//! ```
//!
//! A cell has ended when the kernel has replied to its request **and** has published that it is idle again. The two come on
//! different sockets; the second one comes after everything that the cell showed.

mod config;
mod connection;
mod definition;
mod desk;
mod error;
mod escapes;
mod executor;
mod interpreter;
mod kernel;
mod output;
mod session;
mod wire;

pub use config::IPythonConfig;
pub use definition::IPythonTool;
pub use error::IPythonError;
pub use executor::IPythonExecutor;
pub use output::Limits;
pub use session::{Cell, End, IPython, Ran};

use crate::registry::Registration;

/// The tool's name.
pub const NAME: &str = "ipython";

/// How the registry makes the tool.
pub fn registration() -> Registration {
    Registration::single(|_, _| Ok(IPythonTool::new()), IPythonExecutor::new, NAME)
}

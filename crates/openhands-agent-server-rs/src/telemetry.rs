//! What can be seen of a running server: log lines, metrics, traces, and how much of the machine is used.

pub(crate) mod formats;
pub(crate) mod lines;
pub(crate) mod logs;
pub(crate) mod metrics;
pub(crate) mod request;
pub(crate) mod system;
#[cfg(feature = "otel")]
pub(crate) mod traces;

pub use logs::Logs;

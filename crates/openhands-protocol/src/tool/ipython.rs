//! The IPython tool: code in a kernel that keeps its variables. The reference has no such tool in V1.

use super::observation::observation;
use crate::wire::wire;

wire! {
    /// Code for the kernel.
    pub struct IPythonAction ["kind" = "IPythonAction"] (default) {
        /// The code of one cell.
        code: String,
        /// Seconds after which the cell is interrupted.
        timeout: Option<f64> = None,
        /// Whether a fresh kernel is started first.
        reset: bool = false,
    }
}

observation! {
    /// What a cell showed.
    pub struct IPythonObservation ["kind" = "IPythonObservation"] {
        code: Option<String> = None,
        /// The class of the exception that ended the cell.
        exception: Option<String> = None,
        /// Whether the cell was interrupted because its time was over.
        timeout: bool = false,
        /// Whether the kernel was lost, with its variables.
        kernel_lost: bool = false,
        /// The Python that ran it.
        interpreter: Option<String> = None,
    }
}

//! The terminal tool: a persistent shell.

use super::observation::observation;
use crate::wire::wire;

wire! {
    /// A command, input or key for the shell.
    pub struct TerminalAction ["kind" = "TerminalAction"] (default) {
        /// The command, the input text, or a key such as `C-c`.
        command: String,
        /// Whether it goes to the running program instead of the prompt.
        is_input: bool = false,
        /// Seconds after which the call returns although the command still runs.
        timeout: Option<f64> = None,
        /// Whether the shell starts afresh first.
        reset: bool = false,
    }

    /// What is known about the shell after a command.
    pub struct CmdOutputMetadata (default) {
        exit_code: i32 = -1,
        pid: i32 = -1,
        username: Option<String> = None,
        hostname: Option<String> = None,
        working_dir: Option<String> = None,
        py_interpreter_path: Option<String> = None,
        /// Text before the output.
        prefix: String = String::new(),
        /// Text after the output.
        suffix: String = String::new(),
    }
}

observation! {
    /// What a shell call answered.
    pub struct TerminalObservation ["kind" = "TerminalObservation"] {
        command: Option<String> = None,
        exit_code: Option<i32> = None,
        timeout: bool = false,
        metadata: CmdOutputMetadata = CmdOutputMetadata::default(),
        full_output_save_dir: Option<String> = None,
    }
}

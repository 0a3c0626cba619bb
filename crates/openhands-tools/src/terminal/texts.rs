//! The exact sentences around a command's output. Clients match on them.
use std::fmt::Write as _;

/// What a model may do about a command that still runs; `tool` is the name that it knows the terminal by.
fn choices(tool: &str) -> String {
    format!(
        "You may wait longer to see additional output by sending empty command '', \
         send other commands to interact with the current process, \
         send keys (\"C-c\", \"C-z\", \"C-d\") to interrupt/kill the previous command before sending your new command, \
         or use the timeout parameter in {tool} for future commands."
    )
}

/// Before output of a command that an earlier call started.
pub const CONTINUED: &str = "[Below is the output of the previous command.]\n";
/// The answer to an empty command when nothing runs.
pub const NO_LOGS: &str = "No previous running command to retrieve logs from.";
/// The answer to input when nothing runs.
pub const NO_INPUT: &str = "No previous running command to interact with.";
/// The answer to a reset.
pub(super) const RESET: &str = "Terminal session has been reset. All previous environment variables and session state have been cleared.";
/// A reset cannot be an input at the same time.
pub(super) const RESET_WITH_INPUT: &str = "Cannot use reset=True with is_input=True";

/// After the output of a command that ended.
pub fn completed(command: &str, exit_code: i32) -> String {
    match special_key(command) {
        Some(key) => {
            format!("\n[The command completed with exit code {exit_code}. CTRL+{key} was sent.]")
        }
        None => format!("\n[The command completed with exit code {exit_code}.]"),
    }
}

/// What a new shell means for what comes next.
const NEW_SHELL: &str = "A new shell was started in the original working directory; \
    variables, functions and background jobs of the old one are gone.";

/// After the output of a command that ended the shell itself.
pub fn shell_ended(command: &str, exit_code: i32) -> String {
    let completed = completed(command, exit_code);
    format!("{completed}\n[The command ended the shell. {NEW_SHELL}]")
}

/// Before the output of a command, when the shell before it ended while nobody was looking.
pub fn shell_was_replaced(exit_code: i32) -> String {
    format!("[The shell ended with exit code {exit_code} before this command. {NEW_SHELL}]\n")
}

/// After the output of a command that went silent.
pub fn silent(seconds: u64, tool: &str) -> String {
    let choices = choices(tool);
    format!("\n[The command has no new output after {seconds} seconds. {choices}]")
}

/// After the output of a command that took longer than it was given.
pub fn timed_out(seconds: f64, tool: &str) -> String {
    let choices = choices(tool);
    format!("\n[The command timed out after {seconds:?} seconds. {choices}]")
}

/// After the output of a running command, when a new one was refused.
pub fn refused(command: &str, tool: &str) -> String {
    let choices = choices(tool);
    format!(
        "\n[Your command \"{command}\" is NOT executed. The previous command is still running - You CANNOT send \
         new commands until the previous command is completed. By setting `is_input` to `true`, you can interact \
         with the current process: {choices}]"
    )
}

/// Before an output whose beginning is lost; `lines` is how many are shown.
pub fn lines_lost(lines: usize) -> String {
    format!(
        "[Previous command outputs are truncated. Showing the last {lines} lines of the output below.]\n"
    )
}

/// The answer to several commands at once.
pub fn several_commands(statements: &[String]) -> String {
    let mut text = String::from(
        "Cannot execute multiple commands at once.\n\
         Please run each command separately OR chain them into a single command via && or ;\n\
         Provided commands:",
    );
    for (position, statement) in statements.iter().enumerate() {
        let _ = write!(text, "\n({}) {statement}", position + 1);
    }
    text
}

/// The answer to a time limit that the host's idle clean-up would cut short.
pub(super) fn limit_too_long(timeout: f64, idle_timeout: f64, longest: f64) -> String {
    format!(
        "Refusing to run foreground terminal command with timeout={timeout}s.\n\n\
         This machine is cleaned up after {idle_timeout}s without activity, so a foreground command may take at \
         most {longest}s here. Give a shorter timeout, or none (the command then keeps running and an empty command \
         fetches its further output), or start it in the background and read its log file."
    )
}

/// The letter of a control key written as `C-x`.
///
/// compat: only the three-character form counts; `CTRL+C` works as a key but has no sentence of its own.
pub fn special_key(command: &str) -> Option<String> {
    let mut characters = command.strip_prefix("C-")?.chars();
    let key = characters.next()?;
    characters
        .next()
        .is_none()
        .then(|| key.to_uppercase().collect())
}

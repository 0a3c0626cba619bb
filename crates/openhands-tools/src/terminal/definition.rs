//! What the model is told about the terminal, and how its arguments are read.

use crate::arguments::{Arguments, InvalidArguments, flag, number_at_least, text};
use crate::definition::{Hints, ToolDefinition, spec};
use crate::resources::Locks;
use openhands_protocol::tool::{Action, TerminalAction, ToolSpec};
use serde_json::{Map, Value, json};

const DESCRIPTION: &str = "\
Runs one bash command in a persistent shell on the machine you work on, and returns its output, exit code and \
working directory.

The shell lives as long as the conversation: the working directory, variables, functions, virtual environments and \
background jobs stay between calls. It is a real terminal (programs see a tty), and pagers are off.

One command per call
* Join commands that belong together on one line with `&&` or `;`. Several commands on separate lines are refused.
* A loop, a function, a heredoc or a quoted text over several lines is one command and is fine.
* For more than a few lines of code write a file first and run it.

Commands that take long
* A command that prints nothing for 30 seconds is handed back with exit code -1 while it keeps running. Set `timeout` \
(seconds) for what is known to be slow, such as builds, installs and test suites: the call then waits that long, silent or not.
* After exit code -1 the command still runs. Send an empty `command` to wait for more output, text with `is_input: true` \
to answer it, or a key with `is_input: true` to stop it: `C-c` interrupts, `C-d` ends its input, `C-z` suspends it. \
A new command is refused until the old one has ended.
* Start servers and other things that never end in the background, with output in a file: `python3 app.py > app.log 2>&1 &`. \
Read the file to see how they do.

Output
* Long output is cut in the middle. Filter it (`grep`, `tail`, `-q` flags) or redirect it to a file when you expect much.
* A shell that was ended (`exit`, `exec`) or cannot be used any more comes back fresh; `reset: true` asks for that explicitly, \
and loses variables and running commands.";

/// The pure half of the terminal.
#[derive(Debug)]
pub struct TerminalTool {
    spec: ToolSpec,
}

impl Default for TerminalTool {
    fn default() -> Self {
        Self::new()
    }
}

impl TerminalTool {
    /// The definition.
    pub fn new() -> Self {
        let hints = Hints {
            read_only: false,
            destructive: true,
            idempotent: false,
            open_world: true,
        };
        Self {
            spec: spec(super::NAME, "Terminal", DESCRIPTION, hints, input_schema()),
        }
    }
}

fn input_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "command": {
                "type": "string",
                "description": "The bash command. Empty: wait for more output of the command that still runs. With \
                                `is_input`: text for the running program (Enter is added), or one key: `C-c`, `C-d`, `C-z` or any \
                                `C-<letter>`, `ENTER`, `TAB`, `BS`, `ESC`, `UP`, `DOWN`, `LEFT`, `RIGHT`, `HOME`, `END`, `PGUP`, `PGDN`.",
            },
            "is_input": {
                "type": "boolean",
                "default": false,
                "description": "Whether `command` is input for the program that runs now, instead of a new command.",
            },
            "timeout": {
                "anyOf": [{"type": "number", "minimum": 0}, {"type": "null"}],
                "default": null,
                "description": "Seconds to wait for the command, whether it prints or not. Without it the call returns after \
                                30 seconds of silence. The command keeps running in both cases.",
            },
            "reset": {
                "type": "boolean",
                "default": false,
                "description": "Start a fresh shell first, losing variables and whatever runs. For a shell that does not answer \
                                any more. Not together with `is_input`.",
            },
        },
        "required": ["command"],
    })
}

impl ToolDefinition for TerminalTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        let mut given = Arguments::new(arguments);
        let action = TerminalAction {
            command: given.required("command", text),
            is_input: given.or("is_input", false, flag),
            timeout: given.optional("timeout", number_at_least(0)),
            reset: given.or("reset", false, flag),
            ..TerminalAction::default()
        };
        given.finish()?;
        Ok(Action::Terminal(action))
    }

    fn locks(&self, _action: &Action) -> Locks {
        Locks::key("terminal:session")
    }
}

//! What the model is told about IPython, and how its arguments are read.

use crate::arguments::{Arguments, InvalidArguments, flag, number_at_least, text};
use crate::definition::{Hints, ToolDefinition, spec};
use crate::resources::Locks;
use openhands_protocol::tool::{Action, IPythonAction, ToolSpec};
use serde_json::{Map, Value, json};

const DESCRIPTION: &str = "\
Runs Python code as one cell of an IPython kernel on the machine you work on, and returns what it prints and displays, the value of its last \
expression, its images, or its traceback.

The kernel lives as long as the conversation: variables, imports and definitions stay between calls. Use it for calculations, for looking \
at data and for drawing plots; use the terminal for shell commands and for programs of their own.

* Magics and shell escapes work: `%pip install NAME` installs a package into the kernel's Python, `%%time` measures, `!ls` runs a command.
* Nobody can answer `input()`: it raises an error.
* A cell that runs longer than `timeout` seconds (120 if none are given) is interrupted as by Ctrl-C; the kernel and its variables stay.
* A kernel that dies, or does not stop when it is interrupted, is replaced by a fresh one, and the answer says so. `reset: true` asks for that.
* Long output is cut in the middle. Print less, or write it to a file.";

/// The pure half of IPython.
#[derive(Debug)]
pub struct IPythonTool {
    spec: ToolSpec,
}

impl Default for IPythonTool {
    fn default() -> Self {
        Self::new()
    }
}

impl IPythonTool {
    /// The definition.
    pub fn new() -> Self {
        let hints = Hints {
            read_only: false,
            destructive: true,
            idempotent: false,
            open_world: true,
        };
        Self {
            spec: spec(super::NAME, "IPython", DESCRIPTION, hints, input_schema()),
        }
    }
}

fn input_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "code": {
                "type": "string",
                "description": "The Python code of one cell. Empty, with `reset`: only start a fresh kernel.",
            },
            "timeout": {
                "anyOf": [{"type": "number", "minimum": 0}, {"type": "null"}],
                "default": null,
                "description": "Seconds after which the cell is interrupted. Without it: 120.",
            },
            "reset": {
                "type": "boolean",
                "default": false,
                "description": "Start a fresh kernel first, losing all variables.",
            },
        },
        "required": ["code"],
    })
}

impl ToolDefinition for IPythonTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        let mut given = Arguments::new(arguments);
        let action = IPythonAction {
            code: given.required("code", text),
            timeout: given.optional("timeout", number_at_least(0)),
            reset: given.or("reset", false, flag),
            ..IPythonAction::default()
        };
        given.finish()?;
        Ok(Action::IPython(action))
    }

    fn locks(&self, _action: &Action) -> Locks {
        Locks::key("ipython:session")
    }
}

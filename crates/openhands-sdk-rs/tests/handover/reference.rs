//! A process of the Python reference that is told what to do, line by line.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

const MARK: &str = "\u{1e}answer ";

/// The process. It is killed when this is dropped.
pub(crate) struct Reference {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Reference {
    /// Starts the reference. What it logs goes to a file, beside which its shells find their home.
    pub(crate) fn start(python: &Path, log: &Path) -> Self {
        let home = log.parent().unwrap();
        let script = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/fixtures/reference/drive.py"
        );
        let log = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(log);
        let mut child = Command::new(python)
            .arg(script)
            .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
            .env("OPENHANDS_SUPPRESS_BANNER", "1")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("HOME", home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log.unwrap())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    /// Gives a command without waiting for its answer.
    pub(crate) fn tell(&mut self, command: &str, arguments: &Value) {
        let mut line = json!({"do": command});
        line.as_object_mut()
            .unwrap()
            .extend(arguments.as_object().unwrap().clone());
        let mut input = self.input.as_ref().unwrap();
        writeln!(input, "{line}").unwrap();
        input.flush().unwrap();
    }

    /// The answer to the oldest command that has none: what it gave, or its error.
    pub(crate) fn answer(&mut self) -> Result<Value, Value> {
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).unwrap();
            assert_ne!(read, 0, "the reference ended without an answer");
            if let Some(answer) = line.strip_prefix(MARK) {
                let mut answer: Value = serde_json::from_str(answer).unwrap();
                return match answer.get_mut("ok") {
                    Some(ok) => Ok(ok.take()),
                    None => Err(answer),
                };
            }
        }
    }

    /// Gives a command that may fail.
    pub(crate) fn attempt(&mut self, command: &str, arguments: &Value) -> Result<Value, Value> {
        self.tell(command, arguments);
        self.answer()
    }

    /// Gives a command.
    pub(crate) fn ask(&mut self, command: &str, arguments: &Value) -> Value {
        self.attempt(command, arguments)
            .unwrap_or_else(|error| panic!("{command} failed: {error:#}"))
    }

    /// Kills it with SIGKILL, and waits for its end.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

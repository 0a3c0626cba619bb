//! Names and arguments of a call: aliases that models are used to, and commands written as tools.

use super::shell_words;
use openhands_tools::python_repr;
use serde_json::{Map, Value};

const TERMINAL: &str = "terminal";
const FILE_EDITOR: &str = "file_editor";

/// Names that other agents' tools have, and ours.
const ALIASES: &[(&str, &str)] = &[
    ("bash", TERMINAL),
    ("command", TERMINAL),
    ("execute", TERMINAL),
    ("execute_bash", TERMINAL),
    ("git", TERMINAL),
    ("reset", TERMINAL),
    ("str_replace", FILE_EDITOR),
    ("str_replace_editor", FILE_EDITOR),
];
/// Aliases that are programs themselves: the command begins with their name.
const PROGRAMS: &[&str] = &["git", "reset"];
/// Programs that are useful without any argument.
const BARE: &[&str] = &["find", "git", "ls", "pwd"];
/// What of a call is kept when its arguments become a command line.
const KEPT: &[&str] = &["summary", "security_risk"];
/// Arguments by which the editor's command can be told, in the order in which they decide.
const EDITOR_HINTS: &[(&str, &str)] = &[
    ("old_str", "str_replace"),
    ("insert_line", "insert"),
    ("file_text", "create"),
    ("path", "view"),
];
/// Arguments that show that the editor was meant, though not for what.
const EDITOR_OTHERS: &[&str] = &["new_str", "view_range"];

/// Which program searches where the terminal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrepProgram {
    /// `rg`
    Ripgrep,
    /// `grep`
    Grep,
}

/// A call after repair.
#[derive(Debug, Clone, PartialEq)]
pub struct RepairedCall {
    /// The registered name, or the name as it came.
    pub name: String,
    /// The arguments for it.
    pub arguments: Map<String, Value>,
}

/// A call of the editor that says nothing at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "Cannot infer 'command' for tool 'file_editor' from empty arguments {arguments}. Expected one of: str_replace, insert, create, view with appropriate arguments (e.g., old_str for str_replace, path for view)."
)]
pub struct CannotInfer {
    arguments: String,
}

/// Repairs a call's name and arguments, given the names of the registered tools.
pub fn call(
    name: &str,
    arguments: Map<String, Value>,
    registered: &[&str],
    grep: GrepProgram,
) -> Result<RepairedCall, CannotInfer> {
    let mut repaired = RepairedCall {
        name: name.to_owned(),
        arguments,
    };
    if !registered.contains(&name) {
        rename(&mut repaired, registered, grep);
    }
    if repaired.name == FILE_EDITOR && !repaired.arguments.contains_key("command") {
        repaired.arguments = with_editor_command(repaired.arguments)?;
    }
    Ok(repaired)
}

/// Finds the tool that a name which is not registered stands for.
fn rename(call: &mut RepairedCall, registered: &[&str], grep: GrepProgram) {
    let base = leading_identifier(&call.name).to_owned();
    let alias = ALIASES
        .iter()
        .find(|(alias, tool)| *alias == base && registered.contains(tool));
    if registered.contains(&base.as_str()) {
        call.name = base;
    } else if let Some((alias, tool)) = alias {
        (*tool).clone_into(&mut call.name);
        if PROGRAMS.contains(alias) {
            call.arguments = program_line(alias, &call.arguments);
        }
    } else if registered.contains(&TERMINAL)
        && let Some(line) = command_line(&call.name, &call.arguments, grep)
    {
        TERMINAL.clone_into(&mut call.name);
        call.arguments = with_command(&call.arguments, line);
    }
}

/// `str_replace </parameter` is `str_replace` with rubbish after it.
fn leading_identifier(name: &str) -> &str {
    let end = name
        .find(|character: char| !(character.is_ascii_alphanumeric() || character == '_'))
        .unwrap_or(name.len());
    let identifier = name.get(..end).unwrap_or_default();
    if identifier.starts_with(|first: char| first.is_ascii_digit()) {
        return "";
    }
    identifier
}

/// `git` with `status` is `git status`, and so is `git` with `git status`.
fn program_line(program: &str, arguments: &Map<String, Value>) -> Map<String, Value> {
    let given = match arguments.get("command") {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => python_repr::value(other),
    };
    let line = match given.split_whitespace().next() {
        None => program.to_owned(),
        Some(first) if first == program => given,
        Some(_) => format!("{program} {given}"),
    };
    with_command(arguments, line)
}

/// What of `arguments` is kept, and the command.
fn with_command(arguments: &Map<String, Value>, command: String) -> Map<String, Value> {
    let mut kept: Map<String, Value> = arguments
        .iter()
        .filter(|(name, _)| KEPT.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    kept.insert("command".to_owned(), Value::String(command));
    kept
}

/// The command line that a tool call stands for, if it stands for one.
fn command_line(name: &str, arguments: &Map<String, Value>, grep: GrepProgram) -> Option<String> {
    if name == "grep" {
        return grep_line(arguments, grep);
    }
    (arguments.is_empty() && BARE.contains(&name)).then(|| name.to_owned())
}

fn grep_line(arguments: &Map<String, Value>, program: GrepProgram) -> Option<String> {
    let text = |name: &str| {
        let value = arguments.get(name).and_then(Value::as_str);
        value.filter(|text| !text.trim().is_empty())
    };
    let pattern = text("pattern")?;
    let path = text("path").unwrap_or(".");
    let include = text("include");
    let mut words = match program {
        GrepProgram::Ripgrep => vec!["rg", "-n", "-i"],
        GrepProgram::Grep => vec!["grep", "-R", "-I", "-n", "-i"],
    };
    // A pattern that looks like an option must not become one.
    if pattern.starts_with('-') {
        words.push("-e");
    }
    words.extend([pattern, path]);
    let included = include.map(|include| format!("--include={include}"));
    match program {
        GrepProgram::Ripgrep => {
            words.push("--sortr=modified");
            words.extend(include.into_iter().flat_map(|include| ["-g", include]));
        }
        GrepProgram::Grep => words.extend(included.as_deref()),
    }
    Some(shell_words::join(&words))
}

/// The editor's arguments with the command that they show, which comes first.
fn with_editor_command(arguments: Map<String, Value>) -> Result<Map<String, Value>, CannotInfer> {
    let hint = EDITOR_HINTS
        .iter()
        .find(|(argument, _)| arguments.contains_key(*argument));
    let Some((_, command)) = hint else {
        if EDITOR_OTHERS
            .iter()
            .any(|argument| arguments.contains_key(*argument))
        {
            return Ok(arguments);
        }
        return Err(CannotInfer {
            arguments: python_repr::object(&arguments),
        });
    };
    let mut whole = Map::new();
    whole.insert("command".to_owned(), Value::from(*command));
    whole.extend(arguments);
    Ok(whole)
}

#[cfg(test)]
#[path = "call_tests.rs"]
mod tests;

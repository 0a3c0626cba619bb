//! The analyzer of fixed rules: no downloads into a pipe, no raw disk writes, no removal of the system.
//!
//! It reads each string of a call as a shell would and looks through wrappers, shells and `eval`. What it cannot
//! know before the command runs, and what would matter, is `UNKNOWN`; everything else is `LOW`.

mod path;
mod pipe;

use super::pattern::eval_text;
use super::removal::Removal;
use super::risk::Finding;
use super::shell_ast::{
    Command, Compound, Input, ShellCall, Statement, Unwrapped, Word, parse, shell_call, unwrap,
};
use super::text::executable;
use openhands_protocol::event::{ActionEvent, SecurityRisk};
use path::{is_device, is_protected};

/// Scripts within scripts that are followed.
const MAX_SCRIPTS: usize = 8;

/// Judges actions by fixed rules.
#[derive(Debug, Clone, Copy, Default)]
pub struct PolicyRailAnalyzer;

impl PolicyRailAnalyzer {
    /// How risky the action is by the rules.
    pub fn risk(&self, action: &ActionEvent) -> SecurityRisk {
        executable(action)
            .strings
            .iter()
            .map(|string| script(string, 0))
            .max()
            .unwrap_or(Finding::Nothing)
            .into()
    }
}

/// Judges a shell text. `depth` counts the scripts around it.
fn script(text: &str, depth: usize) -> Finding {
    if depth > MAX_SCRIPTS {
        return Finding::Unclear;
    }
    match parse(text) {
        Some(statements) => worst(&statements, depth),
        None => Finding::Unclear,
    }
}

fn worst(statements: &[Statement], depth: usize) -> Finding {
    statements
        .iter()
        .map(|statement| self::statement(statement, depth))
        .max()
        .unwrap_or(Finding::Nothing)
}

fn statement(statement: &Statement, depth: usize) -> Finding {
    match statement {
        Statement::Command(command) => self::command(command, depth)
            .max(worst(&command.in_words, depth))
            .max(worst(&command.beside_words, depth)),
        Statement::Pipeline(pipeline) => {
            pipe::judge(pipeline, depth).max(worst(&pipeline.stages, depth))
        }
        Statement::Compound(compound) => self::compound(compound)
            .max(worst(&compound.head, depth))
            .max(worst(&compound.body, depth)),
        Statement::TooDeep => Finding::Unclear,
    }
}

/// A shell inside a group would read the group's input.
fn compound(compound: &Compound) -> Finding {
    match compound.input {
        Input::Text(_) | Input::Unknown(_) if pipe::reads_script(&compound.body) => {
            Finding::Unclear
        }
        Input::Text(_) | Input::Unknown(_) | Input::File | Input::Inherited => Finding::Nothing,
    }
}

fn command(command: &Command, depth: usize) -> Finding {
    match unwrap(&command.words) {
        Unwrapped::Nothing => Finding::Nothing,
        Unwrapped::Unreadable | Unwrapped::UnknownVerb { wrapped: true, .. } => Finding::Unclear,
        Unwrapped::UnknownVerb { arguments, .. } => unknown_verb(arguments),
        Unwrapped::Verb {
            name: "eval",
            arguments,
            in_shell: true,
        } => match eval_text(arguments) {
            Some(text) => script(&text, depth + 1),
            None => Finding::Unclear,
        },
        Unwrapped::Verb {
            name, arguments, ..
        } => match shell_call(name, arguments) {
            Some(ShellCall::Script(text)) => script(&text.text, depth + 1),
            Some(ShellCall::Input) => match &command.input {
                Input::Text(text) => script(text, depth + 1),
                Input::Unknown(_) => Finding::Unclear,
                Input::Inherited | Input::File => Finding::Nothing,
            },
            Some(ShellCall::Unreadable(_)) => Finding::Unclear,
            Some(ShellCall::File) => Finding::Nothing,
            None => program(name, arguments),
        },
    }
}

fn program(name: &str, arguments: &[Word]) -> Finding {
    match name {
        "rm" => removal(arguments),
        "dd" => disk_dump(arguments),
        "mkfs" => Finding::Dangerous,
        _ if name.starts_with("mkfs.") => Finding::Dangerous,
        _ => Finding::Nothing,
    }
}

/// Forced recursive removal of the root, the home or a directory of the system.
fn removal(arguments: &[Word]) -> Finding {
    let removal = Removal::read(arguments);
    let protected = removal.operands.iter().any(|operand| is_protected(operand));
    if removal.takes_all() {
        let unclear = |operand: &&Word| operand.unknown.is_some() || operand.is_pattern;
        return if protected {
            Finding::Dangerous
        } else if removal.operands.iter().any(unclear) {
            Finding::Unclear
        } else {
            Finding::Nothing
        };
    }
    if removal.may_get_options && protected {
        Finding::Unclear
    } else {
        Finding::Nothing
    }
}

/// `dd` onto a device.
fn disk_dump(arguments: &[Word]) -> Finding {
    let outputs = |word: &Word| {
        word.known()
            .and_then(|text| text.strip_prefix("of="))
            .is_some_and(is_device)
    };
    if arguments.iter().any(outputs) {
        Finding::Dangerous
    } else if arguments.iter().any(|word| word.exact().is_none()) {
        Finding::Unclear
    } else {
        Finding::Nothing
    }
}

/// A verb that is known only at run time: what if it were `rm`, `dd` or `mkfs`?
fn unknown_verb(arguments: &[Word]) -> Finding {
    let as_removal = removal(arguments) != Finding::Nothing;
    let names_device = arguments
        .iter()
        .filter_map(Word::known)
        .any(|text| is_device(text.strip_prefix("of=").unwrap_or(text)));
    if as_removal || names_device {
        Finding::Unclear
    } else {
        Finding::Nothing
    }
}

#[cfg(test)]
#[path = "policy_rail_tests.rs"]
mod tests;

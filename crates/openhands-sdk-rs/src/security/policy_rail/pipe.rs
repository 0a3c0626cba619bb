//! Pipes: what comes out of one stage, and whether the next one runs it.

use super::script;
use crate::security::risk::Finding;
use crate::security::shell_ast::{
    Command, Compound, Input, Pipeline, ShellCall, Statement, Unwrapped, Word, shell_call, unwrap,
};

/// Programs that fetch from the network.
const FETCHERS: &[&str] = &["curl", "wget"];
/// Programs that print their words.
const PRINTERS: &[&str] = &["echo", "printf"];

/// Judges what flows through a pipeline; its stages by themselves are judged elsewhere.
pub(super) fn judge(pipeline: &Pipeline, depth: usize) -> Finding {
    let mut worst = Finding::Nothing;
    let mut stages = pipeline.stages.iter().peekable();
    while let Some(stage) = stages.next() {
        let Some(next) = stages.peek() else {
            // A last stage that fell away still shows that something was to follow.
            if pipeline.broken && fetches(stage) == Fetch::Surely {
                worst = worst.max(Finding::Unclear);
            }
            if pipeline.stages.len() > 1 && verb_is_unknown(stage) {
                worst = worst.max(Finding::Unclear);
            }
            break;
        };
        worst = worst.max(match fetches(stage) {
            Fetch::Surely => Finding::Dangerous,
            Fetch::Maybe => Finding::Unclear,
            Fetch::No => Finding::Nothing,
        });
        worst = worst.max(into_shell(stage, next, depth));
    }
    worst
}

/// What a shell in `next` would run of what `stage` prints.
fn into_shell(stage: &Statement, next: &Statement, depth: usize) -> Finding {
    match shells_in(std::slice::from_ref(next)) {
        Shells::None => Finding::Nothing,
        Shells::Several => Finding::Unclear,
        Shells::Only => match printed(stage) {
            Some(text) => script(&text, depth + 1),
            None => Finding::Unclear,
        },
    }
}

/// Whether a shell in the statements would run its standard input.
pub(super) fn reads_script(statements: &[Statement]) -> bool {
    !matches!(shells_in(statements), Shells::None)
}

/// Shells that run their inherited input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shells {
    None,
    /// One, and nothing else reads the input before it.
    Only,
    /// Among other commands, so that it is open who reads what.
    Several,
}

fn shells_in(statements: &[Statement]) -> Shells {
    let mut found = Shells::None;
    for statement in statements {
        let here = match statement {
            Statement::Command(command) => {
                if runs_input(command) {
                    Shells::Only
                } else {
                    Shells::None
                }
            }
            // Only the first stage inherits the input.
            Statement::Pipeline(pipeline) => {
                shells_in(pipeline.stages.get(..1).unwrap_or_default())
            }
            Statement::Compound(compound) if compound.input != Input::Inherited => Shells::None,
            Statement::Compound(compound) => match shells_in(&compound.body) {
                Shells::Only if !compound.simply_runs => Shells::Several,
                other => other,
            },
            Statement::TooDeep => Shells::Several,
        };
        found = match (found, here) {
            (found, Shells::None) => found,
            (Shells::None, here) if statements.len() == 1 => here,
            _ => Shells::Several,
        };
    }
    found
}

fn runs_input(command: &Command) -> bool {
    if command.input != Input::Inherited {
        return false;
    }
    match unwrap(&command.words) {
        Unwrapped::Verb {
            name, arguments, ..
        } => shell_call(name, arguments) == Some(ShellCall::Input),
        Unwrapped::UnknownVerb { .. } | Unwrapped::Unreadable | Unwrapped::Nothing => false,
    }
}

fn verb_is_unknown(statement: &Statement) -> bool {
    match statement {
        Statement::Command(command) => {
            matches!(unwrap(&command.words), Unwrapped::UnknownVerb { .. })
        }
        Statement::Pipeline(pipeline) => pipeline.stages.iter().any(verb_is_unknown),
        Statement::Compound(compound) => compound.body.iter().any(verb_is_unknown),
        Statement::TooDeep => true,
    }
}

/// Whether a stage's output comes from the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fetch {
    No,
    Maybe,
    Surely,
}

fn fetches(statement: &Statement) -> Fetch {
    match statement {
        Statement::Command(command) => command_fetches(command),
        Statement::Pipeline(pipeline) => any(&pipeline.stages),
        Statement::Compound(Compound { head, body, .. }) => {
            any(body).max(any(head).min(Fetch::Maybe))
        }
        Statement::TooDeep => Fetch::Maybe,
    }
}

fn any(statements: &[Statement]) -> Fetch {
    statements.iter().map(fetches).max().unwrap_or(Fetch::No)
}

fn command_fetches(command: &Command) -> Fetch {
    let in_words = any(&command.in_words);
    let beside = any(&command.beside_words).min(Fetch::Maybe);
    match unwrap(&command.words) {
        // An assignment prints nothing.
        Unwrapped::Nothing => Fetch::No,
        Unwrapped::Unreadable
        | Unwrapped::UnknownVerb { .. }
        | Unwrapped::Verb {
            name: "eval",
            in_shell: true,
            ..
        } => Fetch::Maybe,
        Unwrapped::Verb { name, .. } if FETCHERS.contains(&name) => Fetch::Surely,
        Unwrapped::Verb { name, .. } if PRINTERS.contains(&name) => in_words.max(beside),
        Unwrapped::Verb {
            name, arguments, ..
        } => match shell_call(name, arguments) {
            Some(ShellCall::Script(_) | ShellCall::Unreadable(_)) => Fetch::Maybe,
            Some(ShellCall::Input | ShellCall::File) | None => {
                in_words.min(Fetch::Maybe).max(beside)
            }
        },
    }
}

/// What a stage prints, if that is known.
fn printed(statement: &Statement) -> Option<String> {
    match statement {
        Statement::Command(command) if command.writes_file => Some(String::new()),
        Statement::Command(command) => command_prints(command),
        Statement::Compound(compound) if compound.simply_runs => match compound.body.as_slice() {
            [only] => printed(only),
            _ => None,
        },
        Statement::Compound(_) | Statement::Pipeline(_) | Statement::TooDeep => None,
    }
}

fn command_prints(command: &Command) -> Option<String> {
    let Unwrapped::Verb {
        name, arguments, ..
    } = unwrap(&command.words)
    else {
        return None;
    };
    match name {
        "echo" => {
            let words: Vec<&str> = arguments.iter().map(Word::exact).collect::<Option<_>>()?;
            let has_option = words.first().is_some_and(|first| first.starts_with('-'));
            (!has_option).then(|| words.join(" "))
        }
        "printf" => {
            let words: Vec<&str> = arguments.iter().map(Word::exact).collect::<Option<_>>()?;
            match words.as_slice() {
                ["--", format] | [format] if !format.starts_with('-') => plain_format(format),
                ["--", "%s", text] | ["%s", text] => Some((*text).to_owned()),
                _ => None,
            }
        }
        "cat" => match (arguments, &command.input) {
            ([], Input::Text(text)) => Some(text.clone()),
            ([only], Input::Text(text)) if only.exact() == Some("-") => Some(text.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// What a format without directives and escapes prints.
fn plain_format(format: &str) -> Option<String> {
    let marked = format.replace("%%", "\0");
    (!marked.contains(['%', '\\'])).then(|| marked.replace('\0', "%"))
}

#[cfg(test)]
#[path = "pipe_tests.rs"]
mod tests;

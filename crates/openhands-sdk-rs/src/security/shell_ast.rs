//! What a shell text would run: commands with their words, pipes and inputs, made from tree-sitter's bash tree.
//!
//! Nothing is executed or expanded. A word whose text is only known at run time says so, and the analyzers decide
//! what that means for them. Text that bash would refuse is read as far as it goes: a model that leaves a quote open
//! has still shown what it wants to run.

mod call;
mod lower;
mod redirect;
mod word;
mod wrapper;

pub(super) use call::{ShellCall, shell_call};
pub(super) use lower::parse;
pub(super) use word::{Unknown, Word};
pub(super) use wrapper::{Unwrapped, unwrap};

/// Statements that run one after the other.
pub(super) type Script = Vec<Statement>;

/// One thing that a shell runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Statement {
    Command(Command),
    Pipeline(Pipeline),
    Compound(Compound),
    /// Nested deeper than is read.
    TooDeep,
}

/// A program or builtin and its words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Command {
    /// The verb first. Empty for a mere assignment or redirection.
    pub(super) words: Vec<Word>,
    /// Substitutions in the words.
    pub(super) in_words: Script,
    /// Substitutions in assignments before the verb and in redirections.
    pub(super) beside_words: Script,
    pub(super) input: Input,
    /// Standard output goes into a file.
    pub(super) writes_file: bool,
}

/// Where standard input comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Input {
    /// From the pipe before it, or from the surroundings.
    #[default]
    Inherited,
    File,
    /// A here-document or here-string whose text is known.
    Text(String),
    /// A here-document, here-string or process whose text is known only at run time.
    Unknown(Unknown),
}

/// Stages joined by pipes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pipeline {
    pub(super) stages: Vec<Statement>,
    /// A stage is missing or could not be read.
    pub(super) broken: bool,
}

/// A group, condition, loop or function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Compound {
    pub(super) body: Script,
    /// Substitutions in its head: what a loop goes over, what a case or test looks at.
    pub(super) head: Script,
    /// The body simply runs, once or again and again: a subshell, a group, a loop over words.
    pub(super) simply_runs: bool,
    pub(super) input: Input,
}

impl Command {
    /// The verb, if there is one.
    pub(super) fn verb(&self) -> Option<&Word> {
        self.words.first()
    }

    /// The words after the verb.
    pub(super) fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }
}

/// Calls `visit` for every command, also those in substitutions and bodies. False when some of it is nested too
/// deep to be seen.
pub(super) fn each_command<'a>(
    script: &'a [Statement],
    visit: &mut impl FnMut(&'a Command),
) -> bool {
    let mut whole = true;
    for statement in script {
        whole &= match statement {
            Statement::Command(command) => {
                visit(command);
                each_command(&command.in_words, visit) & each_command(&command.beside_words, visit)
            }
            Statement::Pipeline(pipeline) => each_command(&pipeline.stages, visit),
            Statement::Compound(compound) => {
                each_command(&compound.head, visit) & each_command(&compound.body, visit)
            }
            Statement::TooDeep => false,
        };
    }
    whole
}

#[cfg(test)]
#[path = "shell_ast_tests.rs"]
mod tests;

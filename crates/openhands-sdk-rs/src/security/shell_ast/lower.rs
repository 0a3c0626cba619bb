//! From tree-sitter's tree to statements.

use super::redirect::{here_string_redirect, redirect, redirected};
use super::word::{Word, word};
use super::{Command, Compound, Input, Pipeline, Script, Statement};
use openhands_process::bash_tree;
use tree_sitter::Node;

/// How deep statements, quotes and substitutions may nest. Far beyond what anyone writes, and well within a
/// thread's stack.
const MAX_DEPTH: usize = 100;

/// Reads `text` as bash would. None if the parser gives up.
pub(in crate::security) fn parse(text: &str) -> Option<Script> {
    let tree = bash_tree(text)?;
    let lowering = Lowering { text, depth: 0 };
    Some(statements(tree.root_node(), lowering))
}

/// The text that is read, and how deep in it we are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lowering<'a> {
    text: &'a str,
    depth: usize,
}

impl<'a> Lowering<'a> {
    /// One level further in, if there is room.
    pub(super) fn deeper(self) -> Option<Self> {
        (self.depth < MAX_DEPTH).then_some(Self {
            depth: self.depth + 1,
            ..self
        })
    }

    pub(super) fn text(self, node: Node<'_>) -> &'a str {
        self.slice(node.start_byte(), node.end_byte())
    }

    pub(super) fn slice(self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or_default()
    }
}

/// The statements below a node that is none itself.
pub(super) fn statements(node: Node<'_>, lowering: Lowering<'_>) -> Script {
    let mut script = Script::new();
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        statement(child, lowering, &mut script);
    }
    script
}

/// The substitutions in something that only computes a text.
pub(super) fn substitution(node: Node<'_>, lowering: Lowering<'_>, script: &mut Script) {
    statement(node, lowering, script);
}

/// Appends what `node` runs.
pub(super) fn statement(node: Node<'_>, lowering: Lowering<'_>, script: &mut Script) {
    let Some(inner) = lowering.deeper() else {
        script.push(Statement::TooDeep);
        return;
    };
    match node.kind() {
        "command" => script.push(Statement::Command(command(node, inner))),
        "pipeline" => script.push(Statement::Pipeline(pipeline(node, inner))),
        "redirected_statement" => redirected(node, inner, script),
        "variable_assignment"
        | "variable_assignments"
        | "declaration_command"
        | "unset_command" => {
            script.push(Statement::Command(Command {
                beside_words: statements(node, inner),
                ..Command::default()
            }));
        }
        "file_redirect" | "herestring_redirect" | "heredoc_redirect" => {
            let mut alone = Command::default();
            redirect(node, inner, &mut alone);
            script.push(Statement::Command(alone));
        }
        "subshell"
        | "compound_statement"
        | "for_statement"
        | "c_style_for_statement"
        | "function_definition" => {
            script.push(compound(node, inner, true));
        }
        "if_statement" | "while_statement" | "case_statement" | "test_command" => {
            script.push(compound(node, inner, false));
        }
        // Lists, bodies, substitutions, expansions and unreadable text: what they hold runs.
        _ => script.extend(statements(node, inner)),
    }
}

fn compound(node: Node<'_>, lowering: Lowering<'_>, simply_runs: bool) -> Statement {
    let (mut head, mut body) = (Script::new(), Script::new());
    let is_test = node.kind() == "test_command";
    let mut cursor = node.walk();
    for (index, child) in (0_u32..).zip(node.children(&mut cursor)) {
        // The words of a loop and the subject of a case are looked at, not run.
        let looked_at = is_test || node.field_name_for_child(index) == Some("value");
        statement(
            child,
            lowering,
            if looked_at { &mut head } else { &mut body },
        );
    }
    Statement::Compound(Compound {
        body,
        head,
        simply_runs,
        input: Input::Inherited,
    })
}

pub(super) fn pipeline(node: Node<'_>, lowering: Lowering<'_>) -> Pipeline {
    let mut whole = Pipeline {
        stages: Vec::new(),
        broken: false,
    };
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        if child.is_error() {
            whole.broken = true;
            continue;
        }
        if child.kind() == "comment" {
            continue;
        }
        let mut stage = Script::new();
        statement(child, lowering, &mut stage);
        // `a | b 2>&1 | c` comes as a pipeline within a pipeline.
        let flat = matches!(
            child.kind(),
            "pipeline" | "redirected_statement" | "negated_command"
        );
        match (<[Statement; 1]>::try_from(stage), flat) {
            (Ok([Statement::Pipeline(inner)]), true) => {
                whole.broken |= inner.broken;
                whole.stages.extend(inner.stages);
            }
            (Ok([Statement::Command(command)]), _)
                if command.words.iter().all(|word| *word == Word::default())
                    && !command.words.is_empty() =>
            {
                // The grammar fills in an empty verb after a last pipe.
                whole.broken = true;
            }
            (Ok([single]), _) => whole.stages.push(single),
            (Err(several), _) => whole.stages.push(Statement::Compound(Compound {
                body: several,
                head: Script::new(),
                simply_runs: true,
                input: Input::Inherited,
            })),
        }
    }
    whole
}

fn command(node: Node<'_>, lowering: Lowering<'_>) -> Command {
    let mut whole = Command::default();
    let mut number_ends_at = None;
    let mut cursor = node.walk();
    for (index, child) in (0_u32..).zip(node.children(&mut cursor)) {
        let descriptor = number_ends_at == Some(child.start_byte());
        number_ends_at = (child.kind() == "number").then(|| child.end_byte());
        match child.kind() {
            // `0<<< x`: the grammar takes the descriptor for an argument.
            "herestring_redirect" if descriptor => {
                let number = whole.words.pop().map(|word| word.text);
                here_string_redirect(child, number.as_deref(), lowering, &mut whole);
            }
            "variable_assignment" => whole.beside_words.extend(statements(child, lowering)),
            "file_redirect" | "herestring_redirect" | "heredoc_redirect" => {
                redirect(child, lowering, &mut whole);
            }
            _ if child.is_named() || node.field_name_for_child(index) == Some("argument") => {
                let read = word(child, lowering, &mut whole.in_words);
                whole.words.push(read);
            }
            _ => {}
        }
    }
    whole
}

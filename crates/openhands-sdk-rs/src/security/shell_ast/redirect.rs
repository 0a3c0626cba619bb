//! Redirections: where a command's input comes from, and whose words stand after a file name.

use super::lower::{Lowering, pipeline, statement, statements};
use super::word::{Unknown, Word, unescape_quoted, word};
use super::{Command, Input, Pipeline, Script, Statement};
use tree_sitter::Node;

/// A statement with redirections after it; they belong to its last command.
pub(super) fn redirected(node: Node<'_>, lowering: Lowering<'_>, script: &mut Script) {
    let mut body = Script::new();
    let mut carried = Command::default();
    let mut after = After::default();
    let mut here_string = false;
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "heredoc_redirect" => {
                redirect(child, lowering, &mut carried);
                after.read(child, lowering);
            }
            "file_redirect" | "herestring_redirect" => {
                redirect(child, lowering, &mut carried);
                if here_string && carried.input == Input::File {
                    carried.input = Input::Unknown(Unknown::Quoted);
                }
            }
            _ => {
                // `( … ) <<< x` comes as an error before a plain `<`.
                here_string = child.is_error() && lowering.text(child).contains("<<");
                statement(child, lowering, &mut body);
            }
        }
    }
    match body.last_mut() {
        Some(last) => give(last, carried),
        None => body.push(Statement::Command(carried)),
    }
    if !after.stages.is_empty()
        && let Some(first) = body.pop()
    {
        let mut stages = match first {
            Statement::Pipeline(inner) => inner.stages,
            other => vec![other],
        };
        stages.append(&mut after.stages);
        body.push(Statement::Pipeline(Pipeline {
            stages,
            broken: after.broken,
        }));
    }
    script.append(&mut body);
    script.append(&mut after.statements);
}

/// What stands on the line of a here-document after it: the grammar hangs it below the redirection.
#[derive(Default)]
struct After {
    stages: Vec<Statement>,
    broken: bool,
    statements: Script,
}

impl After {
    fn read(&mut self, heredoc: Node<'_>, lowering: Lowering<'_>) {
        let mut cursor = heredoc.walk();
        for child in heredoc.named_children(&mut cursor) {
            match child.kind() {
                "pipeline" => {
                    let rest = pipeline(child, lowering);
                    self.broken |= rest.broken;
                    self.stages.extend(rest.stages);
                }
                "heredoc_start"
                | "heredoc_body"
                | "heredoc_end"
                | "file_redirect"
                | "herestring_redirect"
                | "file_descriptor"
                | "word"
                | "string"
                | "raw_string"
                | "concatenation"
                | "number" => {}
                _ => statement(child, lowering, &mut self.statements),
            }
        }
    }
}

/// Gives redirections and the words after them to the last command of a statement.
fn give(statement: &mut Statement, carried: Command) {
    match statement {
        Statement::Command(command) => {
            command.words.extend(carried.words);
            command.in_words.extend(carried.in_words);
            command.beside_words.extend(carried.beside_words);
            if carried.input != Input::Inherited {
                command.input = carried.input;
            }
            command.writes_file |= carried.writes_file;
        }
        Statement::Pipeline(pipeline) => {
            if let Some(last) = pipeline.stages.last_mut() {
                give(last, carried);
            }
        }
        Statement::Compound(compound) => {
            if carried.input != Input::Inherited {
                compound.input = carried.input;
            }
            compound.head.extend(carried.in_words);
            compound.head.extend(carried.beside_words);
        }
        Statement::TooDeep => {}
    }
}

/// Applies one redirection to a command.
pub(super) fn redirect(node: Node<'_>, lowering: Lowering<'_>, command: &mut Command) {
    let descriptor = node
        .child_by_field_name("descriptor")
        .map(|descriptor| lowering.text(descriptor));
    match node.kind() {
        "heredoc_redirect" => {
            let input = heredoc(node, lowering, command);
            if descriptor.is_none_or(|number| number == "0") {
                command.input = input;
            }
        }
        "herestring_redirect" => here_string_redirect(node, descriptor, lowering, command),
        _ => file_redirect(node, descriptor, lowering, command),
    }
}

pub(super) fn here_string_redirect(
    node: Node<'_>,
    descriptor: Option<&str>,
    lowering: Lowering<'_>,
    command: &mut Command,
) {
    let mut cursor = node.walk();
    let text = node
        .named_children(&mut cursor)
        .filter(|child| child.kind() != "file_descriptor")
        .last();
    let text = text.map(|text| word(text, lowering, &mut command.beside_words));
    if descriptor.is_none_or(|number| number == "0") {
        command.input = text.map_or(Input::File, here_string);
    }
}

fn here_string(word: Word) -> Input {
    match word.unknown {
        Some(unknown) => Input::Unknown(unknown),
        None => Input::Text(word.text),
    }
}

fn file_redirect(
    node: Node<'_>,
    descriptor: Option<&str>,
    lowering: Lowering<'_>,
    command: &mut Command,
) {
    let mut reads = false;
    let mut writes = false;
    let mut doubled = false;
    let mut destination: Option<(Word, &str)> = None;
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "<" | "<&" | "<&-" => reads = true,
            ">" | ">>" | "&>" | "&>>" | ">|" => writes = true,
            ">&" | ">&-" | "file_descriptor" => {}
            // The grammar reads `3<<< x` and `( … ) <<< x` as an error before `<`.
            "ERROR" => doubled = lowering.text(child).contains("<<"),
            _ if destination.is_none() => {
                destination = Some((
                    word(child, lowering, &mut command.beside_words),
                    child.kind(),
                ));
            }
            // `cmd > file -x`: the grammar takes the words after the file for files, too.
            _ => {
                let read = word(child, lowering, &mut command.in_words);
                command.words.push(read);
            }
        }
    }
    if reads && descriptor.is_none_or(|number| number == "0") {
        command.input = match destination {
            Some((text, _)) if doubled => here_string(text),
            Some((_, "process_substitution")) => Input::Unknown(Unknown::Quoted),
            _ => Input::File,
        };
    }
    command.writes_file |= writes && descriptor.is_none_or(|number| number == "1");
}

/// The text of a here-document: verbatim when its delimiter is quoted, else with expansions.
fn heredoc(node: Node<'_>, lowering: Lowering<'_>, command: &mut Command) -> Input {
    let mut quoted = false;
    let mut strips_tabs = false;
    let mut body = None;
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "<<-" => strips_tabs = true,
            "heredoc_start" => quoted = lowering.text(child).contains(['\'', '"', '\\']),
            "heredoc_body" => body = Some(child),
            // `cmd <<EOF arg > file`
            "file_redirect" | "herestring_redirect" => redirect(child, lowering, command),
            "word" | "string" | "raw_string" | "concatenation" | "number" => {
                let read = word(child, lowering, &mut command.in_words);
                command.words.push(read);
            }
            _ => {}
        }
    }
    let Some(body) = body else {
        return Input::Text(String::new());
    };
    let text = lowering.text(body);
    if !quoted {
        let inside = statements(body, lowering);
        let mut cursor = body.walk();
        let expands = body
            .named_children(&mut cursor)
            .any(|part| part.kind() != "heredoc_content");
        command.beside_words.extend(inside);
        if expands {
            return Input::Unknown(Unknown::Quoted);
        }
    }
    let text: String = if strips_tabs {
        text.split_inclusive('\n')
            .map(|line| line.trim_start_matches('\t'))
            .collect()
    } else {
        text.to_owned()
    };
    Input::Text(if quoted { text } else { unescape_quoted(&text) })
}

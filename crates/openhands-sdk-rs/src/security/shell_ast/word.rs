//! A word of a shell command: its text as far as it is known before the shell runs.

use super::Script;
use super::lower::{Lowering, substitution};
use tree_sitter::Node;

/// Why a word's text is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::security) enum Unknown {
    /// The unknown part is quoted: it stays one word.
    Quoted,
    /// The unknown part may become no word or several.
    Splits,
}

/// A word with its quotes removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::security) struct Word {
    /// The known parts, joined.
    pub(in crate::security) text: String,
    /// Set when a part is known only at run time.
    pub(in crate::security) unknown: Option<Unknown>,
    /// It has an unquoted wildcard or braces, so it may name several things.
    pub(in crate::security) is_pattern: bool,
    /// It starts with an unquoted tilde.
    pub(in crate::security) starts_with_tilde: bool,
}

impl Word {
    /// The text, unless some of it is known only at run time or it is a pattern.
    pub(in crate::security) fn exact(&self) -> Option<&str> {
        (self.unknown.is_none() && !self.is_pattern).then_some(&self.text)
    }

    /// The text, unless some of it is known only at run time.
    pub(in crate::security) fn known(&self) -> Option<&str> {
        self.unknown.is_none().then_some(&self.text)
    }

    /// Whether it may become no word, or several.
    pub(in crate::security) fn may_split(&self) -> bool {
        self.unknown == Some(Unknown::Splits) || self.is_pattern
    }

    /// The last part of the path when the word is a verb with a known name.
    pub(in crate::security) fn program(&self) -> Option<&str> {
        let text = self.exact()?;
        text.rsplit_once('/')
            .map_or(Some(text), |(_, name)| Some(name))
    }

    fn never_known(unknown: Unknown) -> Self {
        Self {
            unknown: Some(unknown),
            ..Self::default()
        }
    }

    fn append(&mut self, part: &Self) {
        self.starts_with_tilde |=
            self.text.is_empty() && self.unknown.is_none() && part.starts_with_tilde;
        self.text.push_str(&part.text);
        self.unknown = self.unknown.max(part.unknown);
        self.is_pattern |= part.is_pattern;
    }
}

/// Reads a word; the scripts of its substitutions go to `scripts`.
pub(super) fn word(node: Node<'_>, lowering: Lowering<'_>, scripts: &mut Script) -> Word {
    let Some(inner) = lowering.deeper() else {
        scripts.push(super::Statement::TooDeep);
        return Word::never_known(Unknown::Splits);
    };
    match node.kind() {
        "word" | "number" | "variable_name" | "special_variable_name" | "test_operator" => {
            unquoted(lowering.text(node))
        }
        "raw_string" => Word {
            text: strip(lowering.text(node), '\'').to_owned(),
            ..Word::default()
        },
        "string" => string(node, inner, scripts),
        "concatenation" | "command_name" => concatenation(node, inner, scripts),
        "ansi_c_string" | "translated_string" => Word::never_known(Unknown::Quoted),
        // The name of a pipe: one word, whatever it is.
        "process_substitution" => {
            substitution(node, inner, scripts);
            Word::never_known(Unknown::Quoted)
        }
        _ => {
            substitution(node, inner, scripts);
            Word::never_known(Unknown::Splits)
        }
    }
}

fn concatenation(node: Node<'_>, lowering: Lowering<'_>, scripts: &mut Script) -> Word {
    let mut whole = Word::default();
    let mut cursor = node.walk();
    for part in node.children(&mut cursor) {
        whole.append(&word(part, lowering, scripts));
    }
    // The parts of `[a]` and `{a,b}` are words of their own, so only the whole shows them.
    whole.is_pattern |= unquoted(lowering.text(node)).is_pattern && !has_quotes(node);
    whole
}

fn has_quotes(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|part| {
        !matches!(
            part.kind(),
            "word" | "number" | "concatenation" | "command_name"
        )
    })
}

/// Text outside of quotes: a backslash keeps the next character, and wildcards count.
fn unquoted(raw: &str) -> Word {
    let mut text = String::with_capacity(raw.len());
    let mut bare = String::with_capacity(raw.len());
    let mut characters = raw.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            text.push(character);
            bare.push(character);
            continue;
        }
        match characters.next() {
            // A backslash at the end of a line joins it with the next.
            Some('\n') => {}
            Some(kept) => {
                text.push(kept);
                bare.push(' ');
            }
            None => text.push('\\'),
        }
    }
    let wildcard = bare.contains(['*', '?', '[']);
    let braces = bare
        .split_once('{')
        .and_then(|(_, rest)| rest.rsplit_once('}'))
        .is_some_and(|(inside, _)| inside.contains(',') || inside.contains(".."));
    Word {
        is_pattern: wildcard || braces,
        starts_with_tilde: raw.starts_with('~'),
        text,
        unknown: None,
    }
}

/// Text between double quotes.
fn string(node: Node<'_>, lowering: Lowering<'_>, scripts: &mut Script) -> Word {
    let mut whole = Word::default();
    let mut position = node.start_byte();
    let mut cursor = node.walk();
    for part in node.named_children(&mut cursor) {
        // The grammar leaves blanks between two expansions outside of every node.
        whole
            .text
            .push_str(&between(lowering, position, part.start_byte()));
        position = part.end_byte();
        if part.kind() == "string_content" {
            whole.text.push_str(&unescape_quoted(lowering.text(part)));
        } else {
            substitution(part, lowering, scripts);
            whole.unknown = Some(Unknown::Quoted);
        }
    }
    whole
        .text
        .push_str(&between(lowering, position, node.end_byte()));
    whole
}

/// What stands between two parts of a quoted text, without the quotes themselves.
fn between(lowering: Lowering<'_>, from: usize, to: usize) -> String {
    lowering.slice(from, to).replace('"', "")
}

/// Between double quotes a backslash is one unless it stands before `$`, `` ` ``, `"`, `\` or a line's end.
pub(super) fn unescape_quoted(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut characters = raw.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        match characters.next() {
            Some('\n') => {}
            Some(kept @ ('$' | '`' | '"' | '\\')) => text.push(kept),
            Some(other) => text.extend(['\\', other]),
            None => text.push('\\'),
        }
    }
    text
}

fn strip(text: &str, quote: char) -> &str {
    let text = text.strip_prefix(quote).unwrap_or(text);
    text.strip_suffix(quote).unwrap_or(text)
}

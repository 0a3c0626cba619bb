//! Commands that are really data: a list or dict literal in the command field.

use std::fmt::Write;

/// How much of the literal the answer shows, in characters.
const PREVIEW_CHARS: usize = 60;

/// What kind of literal `command` looks like, if any. Bash tests (`[ … ]`, `[[ … ]]`) and groups (`{ …; }`) are not.
pub(super) fn kind(command: &str) -> Option<&'static str> {
    let mut characters = command.trim_start().chars();
    match (characters.next(), characters.next()) {
        (Some('['), Some('{' | '"' | '\'')) => Some("list literal"),
        (Some('['), Some('[')) => match characters.next() {
            Some(' ' | '\t') | None => None,
            Some(_) => Some("nested list literal"),
        },
        (Some('{'), Some('"' | '\'')) => Some("dict literal"),
        _ => None,
    }
}

/// What the model is told when it sent a literal.
pub(super) fn explanation(command: &str, kind: &str) -> String {
    let preview: String = command.trim_start().chars().take(PREVIEW_CHARS).collect();
    format!(
        "[Tool-argument error] The `command` argument looks like a Python/JSON {kind}, not a shell command. \
         It starts with: {}\n\n\
         The `terminal` tool runs exactly ONE shell command at a time. To pass structured data or multi-line code:\n  \
         - Write a script first with `file_editor` (command=\"create\", path=\"/tmp/run.py\", ...), then invoke it: `python /tmp/run.py`.\n  \
         - Or use a heredoc inline, e.g.:\n        \
         python - <<'EOF'\n        \
         DATABASES = {{'default': {{...}}}}\n        \
         # your code here\n        \
         EOF\n\n\
         Do not put a Python list/dict literal into the `command` field; the shell cannot interpret it.",
        quoted(&preview)
    )
}

/// `text` as Python writes a string literal: single quotes unless only double quotes avoid escapes.
fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    let mut out = String::from(quote);
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if character == quote => {
                out.push('\\');
                out.push(character);
            }
            _ if character.is_control() => {
                let _ = write!(out, "\\x{:02x}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push(quote);
    out
}

#[cfg(test)]
#[path = "literal_tests.rs"]
mod tests;

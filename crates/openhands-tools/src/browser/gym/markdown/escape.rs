//! Characters that would mean something in Markdown.

use crate::browser::gym::python::is_space;

/// Inside of links: brackets and backslashes.
pub(super) fn link(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '\\' | '[' | ']' | '(' | ')') {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

/// In running text: a backslash before something it would hide, and at the start of a line what would make a list of it.
pub(super) fn section(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    // What the line began with so far: blanks only, or blanks and digits.
    let mut line = Line::Blank;
    while let Some(character) = characters.next() {
        let next = characters.peek().copied();
        let escapes = match character {
            '\\' => next.is_some_and(is_special),
            '.' => line == Line::Digits && next.is_some_and(is_space),
            '+' => line == Line::Blank && next.is_some_and(is_space),
            '-' => line == Line::Blank && next.is_some_and(|next| next == '-' || is_space(next)),
            _ => false,
        };
        if escapes {
            out.push('\\');
        }
        out.push(character);
        line = line.after(character);
    }
    out
}

fn is_special(character: char) -> bool {
    "\\`*_{}[]()#+-.!".contains(character)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Blank,
    Digits,
    Words,
}

impl Line {
    fn after(self, character: char) -> Self {
        match self {
            _ if character == '\n' => Self::Blank,
            Self::Blank if is_space(character) => Self::Blank,
            Self::Blank | Self::Digits if character.is_numeric() => Self::Digits,
            Self::Blank | Self::Digits | Self::Words => Self::Words,
        }
    }
}

//! Pieces of markup, written one tag or text a line.

use super::{Piece, tags};
use crate::browser::gym::python;

pub(super) fn lines(pieces: &[Piece]) -> String {
    let mut layout = Layout {
        out: String::new(),
        depth: 0,
        literal: None,
        in_code: false,
    };
    let mut pieces = pieces.iter().peekable();
    while let Some(piece) = pieces.next() {
        match piece {
            Piece::Start { name, attributes } => {
                let short =
                    tags::is_written_short(name) && matches!(pieces.peek(), Some(Piece::End(_)));
                layout.start(name, attributes, short);
                if short {
                    pieces.next();
                }
            }
            Piece::End(name) => layout.end(name),
            Piece::Text(text) => layout.text(text),
            Piece::Aside(written) => layout.line(written.trim_matches(python::is_space)),
        }
    }
    layout.out
}

struct Layout {
    out: String,
    depth: usize,
    /// The depth of the element whose blanks have meaning, while inside of one.
    literal: Option<usize>,
    /// Inside of a script or a style sheet, which hold nothing but their own text.
    in_code: bool,
}

impl Layout {
    /// A line of its own, unless blanks have meaning here.
    fn line(&mut self, written: &str) {
        self.indent();
        self.out.push_str(written);
        if self.literal.is_none() {
            self.out.push('\n');
        }
    }

    fn indent(&mut self) {
        if self.literal.is_none() {
            self.out.extend(std::iter::repeat_n(' ', self.depth));
        }
    }

    fn start(&mut self, name: &str, attributes: &[(String, String)], short: bool) {
        let mut tag = format!("<{name}");
        let mut attributes: Vec<_> = attributes.iter().collect();
        attributes.sort();
        for (name, value) in attributes {
            tag.push(' ');
            tag.push_str(name);
            tag.push('=');
            tag.push_str(&quoted(value));
        }
        tag.push_str(if short { "/>" } else { ">" });
        let opens_literal = !short && self.literal.is_none() && matches!(name, "pre" | "textarea");
        if opens_literal {
            self.indent();
            self.out.push_str(&tag);
            self.literal = Some(self.depth);
        } else {
            self.line(&tag);
        }
        self.in_code = matches!(name, "script" | "style");
        if !short {
            self.depth += 1;
        }
    }

    fn end(&mut self, name: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.in_code = false;
        let tag = format!("</{name}>");
        if self.literal == Some(self.depth) {
            self.out.push_str(&tag);
            self.out.push('\n');
            self.literal = None;
        } else {
            self.line(&tag);
        }
    }

    fn text(&mut self, text: &str) {
        let escaped = if self.in_code {
            text.to_owned()
        } else {
            escaped(text)
        };
        if self.literal.is_some() {
            self.out.push_str(&escaped);
            return;
        }
        let trimmed = escaped.trim_matches(python::is_space);
        if !trimmed.is_empty() {
            self.line(trimmed);
        }
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            other => out.push(other),
        }
    }
    out
}

fn quoted(value: &str) -> String {
    let value = escaped(value);
    if !value.contains('"') {
        format!("\"{value}\"")
    } else if value.contains('\'') {
        format!("\"{}\"", value.replace('"', "&quot;"))
    } else {
        format!("'{value}'")
    }
}

//! What a terminal would show of the bytes that were written to it, as text.
//!
//! Made on demand from captured bytes. Lines have no width, so none is wrapped, and everything that
//! scrolled away is kept. Colours and questions to the terminal are dropped; nothing is ever answered.

mod grid;
mod interpret;

use grid::Grid;
use interpret::Interpreter;

/// Text of a screen and of what scrolled off it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rendered {
    /// Lines, their right sides trimmed, joined by newlines, without blank ones at the end.
    pub text: String,
    /// How many lines the text has.
    pub lines: usize,
    /// Whether what was above was cleared away, as `clear` does.
    pub cleared: bool,
}

/// Shows bytes.
pub fn render(bytes: &[u8]) -> Rendered {
    let Some(text) = plain(bytes) else {
        return emulate(bytes);
    };
    Rendered {
        lines: count_lines(&text),
        text,
        cleared: false,
    }
}

/// The long way, for bytes that move the cursor.
fn emulate(bytes: &[u8]) -> Rendered {
    let mut parser = vte::Parser::new();
    let mut interpreter = Interpreter::new(Grid::new());
    for chunk in bytes.utf8_chunks() {
        // What is not UTF-8 vanishes.
        parser.advance(&mut interpreter, chunk.valid().as_bytes());
    }
    let (text, cleared) = interpreter.into_text();
    Rendered {
        lines: count_lines(&text),
        text,
        cleared,
    }
}

/// The text of bytes that only go forward: characters, tabs, and whole line ends.
fn plain(bytes: &[u8]) -> Option<String> {
    // ESC, BS, VT and FF are work for the emulation, and so is a line end that is not CR LF.
    if memchr::memchr2(0x1b, 0x08, bytes).is_some() || memchr::memchr2(0x0b, 0x0c, bytes).is_some()
    {
        return None;
    }
    let mut text = String::with_capacity(bytes.len());
    let mut lines = bytes.split(|byte| *byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        let last = lines.peek().is_none();
        let line = if last {
            line
        } else {
            line.strip_suffix(b"\r")?
        };
        // Repeated carriage returns before the end of a line change nothing.
        let line = if last { line } else { trim_returns(line) };
        if memchr::memchr(b'\r', line).is_some() {
            return None;
        }
        push_line(line, &mut text)?;
        if !last {
            text.push('\n');
        }
    }
    text.truncate(text.trim_end_matches('\n').len());
    Some(text)
}

fn trim_returns(mut line: &[u8]) -> &[u8] {
    while let Some(shorter) = line.strip_suffix(b"\r") {
        line = shorter;
    }
    line
}

/// Appends a line without what does not show, and without blanks at its end.
fn push_line(line: &[u8], text: &mut String) -> Option<()> {
    let start = text.len();
    if line.iter().all(|byte| (0x20..0x7f).contains(byte)) {
        text.push_str(std::str::from_utf8(line).ok()?);
    } else {
        let mut column = 0;
        for c in line.utf8_chunks().flat_map(|chunk| chunk.valid().chars()) {
            if c == '\t' {
                let next = (column / 8 + 1) * 8;
                text.extend(std::iter::repeat_n(' ', next - column));
                column = next;
            } else if ('\u{80}'..'\u{a0}').contains(&c) {
                // One-character forms of escape sequences.
                return None;
            } else if let Some(width) = unicode_width::UnicodeWidthChar::width(c)
                && column + width > 0
            {
                text.push(c);
                column += width;
            }
        }
    }
    let kept = text
        .get(start..)
        .map_or(0, |line| line.trim_end_matches(' ').len());
    text.truncate(start + kept);
    Some(())
}

fn count_lines(text: &str) -> usize {
    if text.is_empty() {
        0
    } else {
        memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1
    }
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;

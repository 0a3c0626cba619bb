//! Whether everything that a text opens is closed again, so that bash would not wait for more of it.
//!
//! It says yes only if it understood all of the text, and says nothing about the rest of its grammar: a text may be
//! balanced and wrong.

/// What is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Parenthesis,
    /// `${`.
    Parameter,
    DoubleQuote,
    Backquote,
}

/// Whether the text is whole for sure.
pub(crate) fn is_balanced(text: &str) -> bool {
    let mut scanner = Scanner {
        text: text.as_bytes(),
        at: 0,
        open: Vec::new(),
        word: Word::default(),
        blocks: 0,
    };
    scanner.run().is_some()
        && scanner.open.is_empty()
        && scanner.blocks == 0
        && !ends_in_operator(text)
}

fn ends_in_operator(text: &str) -> bool {
    let end = text.trim_end();
    end.ends_with('|') || end.ends_with("&&") || end.ends_with('\\')
}

/// The word that is being read; `None` once it holds more than plain characters.
#[derive(Debug, Clone, Copy)]
struct Word {
    start: usize,
    plain: bool,
    empty: bool,
}

impl Default for Word {
    fn default() -> Self {
        Self {
            start: 0,
            plain: true,
            empty: true,
        }
    }
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    open: Vec<Open>,
    word: Word,
    /// Blocks of reserved words that are open.
    blocks: i32,
}

impl Scanner<'_> {
    /// `None` if something is beyond it.
    fn run(&mut self) -> Option<()> {
        while let Some(byte) = self.text.get(self.at).copied() {
            match self.open.last() {
                Some(Open::DoubleQuote) => self.quoted(byte)?,
                Some(Open::Parameter) => self.parameter(byte)?,
                Some(Open::Parenthesis | Open::Backquote) | None => self.unquoted(byte)?,
            }
        }
        self.end_word()
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at + 1).copied()
    }

    fn push(&mut self, open: Open, length: usize) {
        self.open.push(open);
        self.at += length;
    }

    fn close(&mut self, open: Open) -> Option<()> {
        (self.open.pop()? == open).then_some(())?;
        self.at += 1;
        Some(())
    }

    /// What is expanded inside double quotes and outside alike. False if this is nothing of the kind.
    fn expansion(&mut self, byte: u8) -> Option<bool> {
        match (byte, self.peek()) {
            (b'\\', next) => {
                next?;
                self.at += 2;
            }
            (b'$', Some(b'(')) => self.push(Open::Parenthesis, 2),
            (b'$', Some(b'{')) => self.push(Open::Parameter, 2),
            (b'`', _) if self.open.contains(&Open::Backquote) => self.close(Open::Backquote)?,
            (b'`', _) => self.push(Open::Backquote, 1),
            _ => return Some(false),
        }
        Some(true)
    }

    fn quoted(&mut self, byte: u8) -> Option<()> {
        if byte == b'"' {
            return self.close(Open::DoubleQuote);
        }
        if !self.expansion(byte)? {
            self.at += 1;
        }
        Some(())
    }

    fn parameter(&mut self, byte: u8) -> Option<()> {
        match byte {
            b'}' => self.close(Open::Parameter),
            b'"' => {
                self.push(Open::DoubleQuote, 1);
                Some(())
            }
            // It depends on where the expansion stands whether this quotes.
            b'\'' => None,
            _ => {
                if !self.expansion(byte)? {
                    self.at += 1;
                }
                Some(())
            }
        }
    }

    fn unquoted(&mut self, byte: u8) -> Option<()> {
        match byte {
            b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' => {
                self.end_word()?;
                self.at += 1;
            }
            b'<' | b'>' => {
                self.end_word()?;
                self.redirection(byte)?;
            }
            b'(' => {
                self.end_word()?;
                self.push(Open::Parenthesis, 1);
            }
            b')' => {
                self.end_word()?;
                self.close(Open::Parenthesis)?;
            }
            b'#' if self.word.empty => return None,
            b'\'' => {
                self.word.plain = false;
                let rest = self.text.get(self.at + 1..)?;
                self.at += 2 + memchr::memchr(b'\'', rest)?;
            }
            b'"' => {
                self.word.plain = false;
                self.push(Open::DoubleQuote, 1);
            }
            b'$' if self.peek() == Some(b'\'') => {
                self.word.plain = false;
                self.ansi_quoted()?;
            }
            _ => {
                if self.expansion(byte)? {
                    self.word.plain = false;
                } else {
                    if self.word.empty {
                        self.word.start = self.at;
                    }
                    self.at += 1;
                }
                self.word.empty = false;
            }
        }
        Some(())
    }

    /// Documents have lines of their own; the rest is a word like any other.
    fn redirection(&mut self, byte: u8) -> Option<()> {
        let rest = self.text.get(self.at..)?;
        if rest.starts_with(b"<<<") {
            self.at += 3;
        } else if byte == b'<' && rest.starts_with(b"<<") {
            return None;
        } else {
            self.at += 1;
        }
        Some(())
    }

    fn ansi_quoted(&mut self) -> Option<()> {
        self.at += 2;
        loop {
            match self.text.get(self.at)? {
                b'\\' => self.at += 2,
                b'\'' => {
                    self.at += 1;
                    return Some(());
                }
                _ => self.at += 1,
            }
        }
    }

    /// Counts reserved words. One that is only an argument unbalances the count, and then bash is asked.
    fn end_word(&mut self) -> Option<()> {
        let word = std::mem::take(&mut self.word);
        if word.empty || !word.plain {
            return Some(());
        }
        match self.text.get(word.start..self.at)? {
            b"if" | b"do" | b"{" | b"[[" => self.blocks += 1,
            b"fi" | b"done" | b"}" | b"]]" => {
                self.blocks -= 1;
                (self.blocks >= 0).then_some(())?;
            }
            b"case" | b"select" | b"function" | b"coproc" | b"for" | b"while" | b"until"
                if self
                    .text
                    .get(self.at..)
                    .is_some_and(|rest| memchr::memmem::find(rest, b"done").is_none()) =>
            {
                return None;
            }
            b"case" | b"function" | b"coproc" => return None,
            _ => {}
        }
        Some(())
    }
}

#[cfg(test)]
#[path = "balance_tests.rs"]
mod tests;

//! Tokens of a Python regular expression, and errors that point into it.

use std::fmt;

/// Why Python would refuse a pattern, in Python's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError(String);

impl PatternError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PatternError {}

/// One character, or a backslash with the character after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    Char(char),
    Escape(char),
}

impl Token {
    pub(super) fn len(self) -> usize {
        match self {
            Self::Char(_) => 1,
            Self::Escape(_) => 2,
        }
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Char(c) => write!(f, "{c}"),
            Self::Escape(c) => write!(f, "\\{c}"),
        }
    }
}

/// A pattern read token by token with one token of look-ahead. Positions count characters, as Python's messages do.
#[derive(Debug)]
pub(super) struct Tokens {
    chars: Vec<char>,
    index: usize,
    next: Option<Token>,
}

impl Tokens {
    pub(super) fn new(pattern: &str) -> Result<Self, PatternError> {
        let mut tokens = Self {
            chars: pattern.chars().collect(),
            index: 0,
            next: None,
        };
        tokens.load()?;
        Ok(tokens)
    }

    /// Looks at the token after the current one. A lone backslash at the end is reported here, that is, one token
    /// early: this decides which of two errors Python names.
    fn load(&mut self) -> Result<(), PatternError> {
        self.next = match self.chars.get(self.index) {
            None => None,
            Some('\\') => match self.chars.get(self.index + 1) {
                Some(&c) => Some(Token::Escape(c)),
                None => {
                    return Err(self.error_at("bad escape (end of pattern)", self.chars.len() - 1));
                }
            },
            Some(&c) => Some(Token::Char(c)),
        };
        self.index += self.next.map_or(0, Token::len);
        Ok(())
    }

    pub(super) fn peek(&self) -> Option<Token> {
        self.next
    }

    pub(super) fn take(&mut self) -> Result<Option<Token>, PatternError> {
        let token = self.next;
        self.load()?;
        Ok(token)
    }

    pub(super) fn eat(&mut self, expected: char) -> Result<bool, PatternError> {
        let found = self.next == Some(Token::Char(expected));
        if found {
            self.load()?;
        }
        Ok(found)
    }

    /// Takes the next character if `wanted` accepts it.
    pub(super) fn take_if(
        &mut self,
        wanted: impl Fn(char) -> bool,
    ) -> Result<Option<char>, PatternError> {
        match self.next {
            Some(Token::Char(c)) if wanted(c) => {
                self.load()?;
                Ok(Some(c))
            }
            Some(_) | None => Ok(None),
        }
    }

    /// Takes up to `limit` characters that `wanted` accepts.
    pub(super) fn take_while(
        &mut self,
        limit: usize,
        wanted: impl Fn(char) -> bool,
    ) -> Result<String, PatternError> {
        let mut taken = String::new();
        for _ in 0..limit {
            match self.take_if(&wanted)? {
                Some(c) => taken.push(c),
                None => break,
            }
        }
        Ok(taken)
    }

    /// Takes everything up to `terminator`, which is taken too; `what` names it in messages.
    pub(super) fn take_until(
        &mut self,
        terminator: char,
        what: &str,
    ) -> Result<String, PatternError> {
        let mut taken = String::new();
        loop {
            match self.take()? {
                None if taken.is_empty() => return Err(self.error(format!("missing {what}"), 0)),
                None => {
                    let length = taken.chars().count();
                    return Err(
                        self.error(format!("missing {terminator}, unterminated name"), length)
                    );
                }
                Some(Token::Char(c)) if c == terminator => {
                    if taken.is_empty() {
                        return Err(self.error(format!("missing {what}"), 1));
                    }
                    return Ok(taken);
                }
                Some(token) => taken.push_str(&token.to_string()),
            }
        }
    }

    /// Where the token that comes next begins.
    pub(super) fn position(&self) -> usize {
        self.index - self.next.map_or(0, Token::len)
    }

    /// The characters from the next token on.
    pub(super) fn ahead(&self) -> &[char] {
        self.chars.get(self.position()..).unwrap_or_default()
    }

    /// Continues from an earlier position.
    pub(super) fn rewind(&mut self, position: usize) -> Result<(), PatternError> {
        self.index = position;
        self.load()
    }

    /// An error `back` characters before the next token.
    pub(super) fn error(&self, message: impl fmt::Display, back: usize) -> PatternError {
        self.error_at(message, self.position().saturating_sub(back))
    }

    pub(super) fn error_at(&self, message: impl fmt::Display, position: usize) -> PatternError {
        let mut text = format!("{message} at position {position}");
        if self.chars.contains(&'\n') {
            let before = self.chars.get(..position).unwrap_or(&self.chars);
            let line = before.iter().filter(|&&c| c == '\n').count() + 1;
            let column = before.iter().rev().take_while(|&&c| c != '\n').count() + 1;
            text = format!("{text} (line {line}, column {column})");
        }
        PatternError(text)
    }
}

/// A string as Python's `repr` shows it, for names in messages.
pub(super) fn python_repr(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => out.extend(['\\', c]),
            c if c.is_control() => out.extend([format!("\\x{:02x}", u32::from(c))]),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

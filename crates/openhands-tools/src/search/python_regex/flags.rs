//! Inline flags of a Python regular expression: `(?i)`, `(?s-m:...)`.

use super::Parser;
use super::tokens::{PatternError, Token};

/// Inline flags of one group, `i`, `m`, `s` kept as letters because they are passed on.
#[derive(Debug, Default, Clone)]
pub(super) struct Flags {
    pub(super) add: String,
    pub(super) remove: String,
    pub(super) verbose: Option<bool>,
    pub(super) ascii: Option<bool>,
    /// `(?flags)` without a colon: for the whole pattern.
    pub(super) global: bool,
    /// Verbose is turned on and off at once.
    contradicts_itself: bool,
}

impl Parser {
    /// Flags from their first letter (or `-`) up to the `)` or `:` that ends them.
    pub(super) fn flags(&mut self, first: char) -> Result<Flags, PatternError> {
        let mut flags = Flags::default();
        let mut ending = first;
        if first != '-' {
            let mut letter = first;
            ending = loop {
                self.add_flag(&mut flags, letter)?;
                match self.tokens.take()? {
                    None => return Err(self.tokens.error("missing -, : or )", 0)),
                    Some(Token::Char(c)) if matches!(c, ')' | '-' | ':') => break c,
                    Some(Token::Char(c)) if is_flag(c) => letter = c,
                    Some(other) => return Err(self.unknown_flag(other, "missing -, : or )")),
                }
            };
        }
        if ending == ')' {
            flags.global = true;
            return Ok(flags);
        }
        if ending == '-' {
            self.removed_flags(&mut flags)?;
        }
        if flags.contradicts_itself || flags.add.chars().any(|c| flags.remove.contains(c)) {
            return Err(self
                .tokens
                .error("bad inline flags: flag turned on and off", 1));
        }
        Ok(flags)
    }

    fn add_flag(&mut self, flags: &mut Flags, letter: char) -> Result<(), PatternError> {
        match letter {
            'L' => {
                let message = "bad inline flags: cannot use 'L' flag with a str pattern";
                return Err(self.tokens.error(message, 0));
            }
            'a' | 'u' => {
                let ascii = letter == 'a';
                if flags.ascii == Some(!ascii) {
                    let message = "bad inline flags: flags 'a', 'u' and 'L' are incompatible";
                    return Err(self.tokens.error(message, 0));
                }
                flags.ascii = Some(ascii);
            }
            'x' => flags.verbose = Some(true),
            _ if flags.add.contains(letter) => {}
            _ => flags.add.push(letter),
        }
        Ok(())
    }

    /// The letters between `-` and `:`.
    fn removed_flags(&mut self, flags: &mut Flags) -> Result<(), PatternError> {
        let mut missing = "missing flag";
        loop {
            match self.tokens.take()? {
                None => return Err(self.tokens.error(missing, 0)),
                Some(Token::Char(':')) if missing == "missing :" => return Ok(()),
                Some(Token::Char('a' | 'u' | 'L')) => {
                    let message = "bad inline flags: cannot turn off flags 'a', 'u' and 'L'";
                    return Err(self.tokens.error(message, 0));
                }
                Some(Token::Char('x')) => {
                    flags.contradicts_itself |= flags.verbose == Some(true);
                    flags.verbose = Some(false);
                }
                Some(Token::Char(c)) if is_flag(c) => {
                    if !flags.remove.contains(c) {
                        flags.remove.push(c);
                    }
                }
                Some(other) => return Err(self.unknown_flag(other, missing)),
            }
            missing = "missing :";
        }
    }

    fn unknown_flag(&self, token: Token, missing: &str) -> PatternError {
        let message = match token {
            Token::Char(c) if c.is_alphabetic() => "unknown flag",
            Token::Char(_) | Token::Escape(_) => missing,
        };
        self.tokens.error(message, token.len())
    }
}

pub(super) fn is_flag(c: char) -> bool {
    matches!(c, 'i' | 'L' | 'm' | 's' | 'x' | 'a' | 'u')
}

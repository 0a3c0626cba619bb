//! Backslash escapes of a Python regular expression, inside and outside of sets.

use super::tokens::{PatternError, Token};
use super::{Item, Parser, Scope, Width};

/// What an escape inside a set stands for.
pub(super) enum SetEscape {
    Code(u32),
    Category(char),
}

impl Parser {
    /// An escape outside of sets; the token is taken already.
    pub(super) fn escape(&mut self, c: char, scope: Scope) -> Result<Item, PatternError> {
        match c {
            'A' | 'Z' => {
                self.spans_lines = true;
                self.out.push_str(if c == 'A' { r"\A" } else { r"\z" });
                return Ok(Item::anchor());
            }
            'b' | 'B' => {
                self.out.extend(['\\', c]);
                return Ok(Item::anchor());
            }
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => {
                self.out.push_str(&category(c, scope.ascii));
                return Ok(Item::ONE);
            }
            // Not Python's reading (a plain character), but that of both grep programs: start and end of a word.
            '<' | '>' => {
                self.out.extend(['\\', c]);
                return Ok(Item::ONE);
            }
            _ => {}
        }
        if c.is_ascii_digit() && c != '0' {
            return self.group_reference(c);
        }
        let code = match (c, control(c)) {
            (_, Some(code)) => code,
            ('0', None) => octal(&format!("0{}", self.tokens.take_while(2, is_octal)?)),
            (_, None) => self.coded(c)?,
        };
        self.literal(code);
        Ok(Item::ONE)
    }

    /// An escape inside a set; the token is taken already.
    pub(super) fn set_escape(&mut self, c: char) -> Result<SetEscape, PatternError> {
        if matches!(c, 'd' | 'D' | 's' | 'S' | 'w' | 'W') {
            return Ok(SetEscape::Category(c));
        }
        let code = match c {
            'b' => 0x08,
            '0'..='7' => {
                let digits = format!("{c}{}", self.tokens.take_while(2, is_octal)?);
                self.checked_octal(&digits)?
            }
            '8' | '9' => return Err(self.tokens.error(format!("bad escape \\{c}"), 2)),
            _ => match control(c) {
                Some(code) => code,
                None => self.coded(c)?,
            },
        };
        Ok(SetEscape::Code(code))
    }

    /// `\xhh`, `\uhhhh`, `\Uhhhhhhhh`, `\N{name}`, or an escaped punctuation character.
    fn coded(&mut self, c: char) -> Result<u32, PatternError> {
        let digits = match c {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            'N' => return Err(self.named_character()?),
            _ if c.is_ascii_alphabetic() => {
                return Err(self.tokens.error(format!("bad escape \\{c}"), 2));
            }
            _ => return Ok(u32::from(c)),
        };
        let hex = self.tokens.take_while(digits, |c| c.is_ascii_hexdigit())?;
        let escape = format!("\\{c}{hex}");
        if hex.len() < digits {
            return Err(self
                .tokens
                .error(format!("incomplete escape {escape}"), escape.len()));
        }
        match u32::from_str_radix(&hex, 16) {
            Ok(code) if code <= 0x10_FFFF => Ok(code),
            Ok(_) | Err(_) => Err(self
                .tokens
                .error(format!("bad escape {escape}"), escape.len())),
        }
    }

    /// Characters by name are not supported: the table of names is large and nobody searches files with it.
    fn named_character(&mut self) -> Result<PatternError, PatternError> {
        if !self.tokens.eat('{')? {
            return Ok(self.tokens.error("missing {", 0));
        }
        let name = self.tokens.take_until('}', "character name")?;
        let shown = super::tokens::python_repr(&name);
        let length = name.chars().count() + 4;
        Ok(self
            .tokens
            .error(format!("undefined character name {shown}"), length))
    }

    /// `\1` to `\99`: a reference to a group, or with three octal digits a character.
    fn group_reference(&mut self, first: char) -> Result<Item, PatternError> {
        let mut digits = String::from(first);
        if let Some(second) = self.tokens.take_if(|c| c.is_ascii_digit())? {
            digits.push(second);
            if is_octal(first)
                && is_octal(second)
                && let Some(third) = self.tokens.take_if(is_octal)?
            {
                digits.push(third);
                let code = self.checked_octal(&digits)?;
                self.literal(code);
                return Ok(Item::ONE);
            }
        }
        let group: usize = digits.parse().unwrap_or(usize::MAX);
        if group >= self.groups.len() {
            let message = format!("invalid group reference {group}");
            return Err(self.tokens.error(message, digits.len()));
        }
        let width = self.closed_group(group, digits.len() + 1)?;
        self.back_reference(group, width)
    }

    /// Writes a reference to a group that is known and closed.
    pub(super) fn back_reference(
        &mut self,
        group: usize,
        width: Width,
    ) -> Result<Item, PatternError> {
        self.check_look_behind(group)?;
        self.needs_backtracking = true;
        // Wrapped, so that a digit after it does not become part of the number.
        self.out.extend(["(?:\\", &group.to_string(), ")"]);
        Ok(Item::other(width))
    }

    /// The width of a group that must be closed by now.
    pub(super) fn closed_group(&self, group: usize, back: usize) -> Result<Width, PatternError> {
        match self.groups.get(group) {
            Some(Some(width)) => Ok(*width),
            Some(None) | None => Err(self.tokens.error("cannot refer to an open group", back)),
        }
    }

    fn checked_octal(&self, digits: &str) -> Result<u32, PatternError> {
        let code = octal(digits);
        if code > 0o377 {
            let message = format!("octal escape value \\{digits} outside of range 0-0o377");
            return Err(self.tokens.error(message, digits.len() + 1));
        }
        Ok(code)
    }
}

/// The text of a token that has to be an escape or a single character.
pub(super) fn single(token: Token) -> Result<u32, char> {
    match token {
        Token::Char(c) => Ok(u32::from(c)),
        Token::Escape(c) => Err(c),
    }
}

/// `\d`, `\w`, `\s` and their opposites, also for patterns that ask for ASCII only.
pub(super) fn category(c: char, ascii: bool) -> String {
    if !ascii {
        return format!("\\{c}");
    }
    let (members, negated) = match c {
        'd' => ("0-9", false),
        'D' => ("0-9", true),
        'w' => ("0-9A-Za-z_", false),
        'W' => ("0-9A-Za-z_", true),
        's' => (r"\t\n\r\x0b\x0c ", false),
        _ => (r"\t\n\r\x0b\x0c ", true),
    };
    format!("[{}{members}]", if negated { "^" } else { "" })
}

fn control(c: char) -> Option<u32> {
    match c {
        'a' => Some(0x07),
        'f' => Some(0x0c),
        'n' => Some(0x0a),
        'r' => Some(0x0d),
        't' => Some(0x09),
        'v' => Some(0x0b),
        _ => None,
    }
}

fn is_octal(c: char) -> bool {
    ('0'..='7').contains(&c)
}

fn octal(digits: &str) -> u32 {
    u32::from_str_radix(digits, 8).unwrap_or(u32::MAX)
}

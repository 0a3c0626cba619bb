//! Character sets (`[...]`) of a Python regular expression.

use super::escapes::{SetEscape, category};
use super::tokens::{PatternError, Token};
use super::{Item, Parser, Scope};

/// POSIX names that both grep programs understand inside a set; Python reads them letter by letter.
const POSIX_NAMES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
    "space", "upper", "word", "xdigit",
];

enum Member {
    Code(u32),
    Category(char),
}

impl Parser {
    /// A set; its `[` is taken already.
    pub(super) fn set(&mut self, scope: Scope) -> Result<Item, PatternError> {
        let start = self.tokens.position() - 1;
        let negated = self.tokens.eat('^')?;
        let mut body = String::new();
        let mut members = 0_usize;
        loop {
            if let Some(posix) = self.posix_class()? {
                body.push_str(&posix);
                members += 1;
                continue;
            }
            let token = self.next_in_set(start)?;
            if token == Token::Char(']') && members > 0 {
                break;
            }
            members += 1;
            let member = self.set_member(token)?;
            if !self.tokens.eat('-')? {
                self.push_member(&mut body, &member, negated, scope);
                continue;
            }
            let end = self.next_in_set(start)?;
            if end == Token::Char(']') {
                self.push_member(&mut body, &member, negated, scope);
                self.push_member(&mut body, &Member::Code(u32::from('-')), negated, scope);
                break;
            }
            let last = self.set_member(end)?;
            match (member, last) {
                (Member::Code(lo), Member::Code(hi)) if lo <= hi => push_range(&mut body, lo, hi),
                (Member::Code(_) | Member::Category(_), _) => {
                    let message = format!("bad character range {token}-{end}");
                    return Err(self.tokens.error(message, token.len() + 1 + end.len()));
                }
            }
        }
        match (body.is_empty(), negated) {
            (false, false) => self.out.extend(["[", &body, "]"]),
            (false, true) => self.out.extend(["[^", &body, "]"]),
            // Only surrogates were named: no text holds them.
            (true, false) => self.out.push_str(super::NOTHING),
            (true, true) => self.out.push_str(r"[\s\S]"),
        }
        Ok(Item::ONE)
    }

    fn next_in_set(&mut self, start: usize) -> Result<Token, PatternError> {
        match self.tokens.take()? {
            Some(token) => Ok(token),
            None => Err(self.tokens.error_at("unterminated character set", start)),
        }
    }

    fn set_member(&mut self, token: Token) -> Result<Member, PatternError> {
        Ok(match super::escapes::single(token) {
            Ok(code) => Member::Code(code),
            Err(c) => match self.set_escape(c)? {
                SetEscape::Code(code) => Member::Code(code),
                SetEscape::Category(c) => Member::Category(c),
            },
        })
    }

    fn push_member(&mut self, body: &mut String, member: &Member, negated: bool, scope: Scope) {
        match *member {
            Member::Code(code) => {
                self.spans_lines |= code == 0x0a && !negated;
                push_range(body, code, code);
            }
            Member::Category(c) => body.push_str(&category(c, scope.ascii)),
        }
    }

    /// `[:name:]` at this place, where such names are known.
    fn posix_class(&mut self) -> Result<Option<String>, PatternError> {
        if !self.posix_names {
            return Ok(None);
        }
        let ahead: String = self.tokens.ahead().iter().take(12).collect();
        let class = POSIX_NAMES
            .iter()
            .map(|name| format!("[:{name}:]"))
            .find(|class| ahead.starts_with(class.as_str()));
        for _ in 0..class.as_ref().map_or(0, String::len) {
            self.tokens.take()?;
        }
        Ok(class)
    }
}

/// Writes a range in the form that cannot be misread, leaving out surrogates: no text holds them.
fn push_range(body: &mut String, lo: u32, hi: u32) {
    const SURROGATES: std::ops::RangeInclusive<u32> = 0xD800..=0xDFFF;
    let lo = if SURROGATES.contains(&lo) { 0xE000 } else { lo };
    let hi = if SURROGATES.contains(&hi) { 0xD7FF } else { hi };
    if lo > hi {
        return;
    }
    let last = if hi > lo {
        format!("-\\x{{{hi:x}}}")
    } else {
        String::new()
    };
    body.extend([format!("\\x{{{lo:x}}}"), last]);
}

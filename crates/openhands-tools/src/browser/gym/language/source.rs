//! The calls in a text: what is between them is passed over.
//!
//! compat: the grammar is that of BrowserGym, which is near to Python's and not the same. A comma before a named
//! argument may be missing, tabs are blanks (also in strings), strings have no prefixes, and `#` begins a comment in
//! prose too.

use super::mistake::{Exception, Mistake};
use super::string;
use super::value::Literal;

/// How deep lists may be in each other; the reference gives up at about the same depth.
const MAX_DEPTH: usize = 50;
/// Digits of a whole number; the limit is Python's.
const MAX_DIGITS: usize = 4300;

/// A call as it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub name: String,
    pub positional: Vec<Literal>,
    pub named: Vec<(String, Literal)>,
}

/// All calls of a text, in order.
pub(super) fn calls(text: &str) -> Result<Vec<Call>, Mistake> {
    let source = without_tabs(text);
    let mut parser = Parser {
        source: &source,
        at: 0,
    };
    let mut calls = Vec::new();
    loop {
        parser.blank();
        let start = parser.at;
        if start >= source.len() {
            return Ok(calls);
        }
        let name = parser.identifier();
        // Inside of a name that begins no call no other call can begin.
        let next = parser.at.max(start + 1);
        match name {
            Some(name) => match parser.call(name) {
                Ok(call) => calls.push(call),
                Err(Stop::Unfit) => parser.at = next,
                Err(Stop::Wrong(mistake)) => return Err(mistake),
            },
            None => parser.at = next,
        }
    }
}

/// The value that a whole text is.
pub(super) fn literal(text: &str) -> Option<Literal> {
    let source: Vec<char> = text.chars().collect();
    let mut parser = Parser {
        source: &source,
        at: 0,
    };
    let literal = parser.required(0).ok()?;
    parser.blank();
    parser.peek().is_none().then_some(literal)
}

/// Why an element does not end up as a value.
enum Stop {
    /// It is not one of the language. What follows is searched for calls.
    Unfit,
    /// It is, and it is wrong.
    Wrong(Mistake),
}

type Parsed<T> = Result<T, Stop>;

struct Parser<'a> {
    source: &'a [char],
    at: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &[char] {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.source.get(self.at).copied()
    }

    /// Passes over blanks and comments.
    fn blank(&mut self) {
        while let Some(character) = self.peek() {
            match character {
                ' ' | '\n' | '\r' => self.at += 1,
                '#' => {
                    let line = self.rest().iter().take_while(|next| **next != '\n');
                    self.at += line.count();
                }
                _ => return,
            }
        }
    }

    fn accept(&mut self, expected: char) -> bool {
        self.blank();
        let is_there = self.peek() == Some(expected);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, expected: char) -> Parsed<()> {
        if self.accept(expected) {
            Ok(())
        } else {
            Err(Stop::Unfit)
        }
    }

    fn identifier(&mut self) -> Option<String> {
        self.blank();
        if !self.peek().is_some_and(begins_name) {
            return None;
        }
        let name = self.rest().iter().copied();
        let name: String = name.take_while(|next| continues_name(*next)).collect();
        self.at += name.chars().count();
        Some(name)
    }

    /// The arguments after a name.
    fn call(&mut self, name: String) -> Parsed<Call> {
        self.expect('(')?;
        let positional = self.elements(0)?;
        let mut named = Vec::new();
        loop {
            let start = self.at;
            let Some(name) = self.identifier() else { break };
            if !self.accept('=') {
                self.at = start;
                break;
            }
            named.push((name, self.required(0)?));
            if !self.accept(',') {
                break;
            }
        }
        self.expect(')')?;
        Ok(Call {
            name,
            positional,
            named,
        })
    }

    /// Elements between commas, of which one may be at the end.
    fn elements(&mut self, depth: usize) -> Parsed<Vec<Literal>> {
        let mut elements = Vec::new();
        while let Some(element) = self.element(depth)? {
            elements.push(element);
            if !self.accept(',') {
                break;
            }
        }
        Ok(elements)
    }

    fn required(&mut self, depth: usize) -> Parsed<Literal> {
        self.element(depth)?.ok_or(Stop::Unfit)
    }

    /// The value that comes next, if one does.
    fn element(&mut self, depth: usize) -> Parsed<Option<Literal>> {
        if depth > MAX_DEPTH {
            return Err(Stop::Wrong(Mistake::new(
                Exception::RecursionError,
                "maximum recursion depth exceeded",
            )));
        }
        self.blank();
        match self.peek() {
            Some('"' | '\'') => self.string(),
            Some('+' | '-' | '.' | '0'..='9') => self.number(),
            Some('[') => self.items(']', depth).map(|items| items.map(Literal::List)),
            Some('(') => self
                .items(')', depth)
                .map(|items| items.map(Literal::Tuple)),
            Some('{') => self.members(depth).map(Some),
            Some(_) => Ok(self.word()),
            None => Ok(None),
        }
    }

    fn string(&mut self) -> Parsed<Option<Literal>> {
        match string::literal(self.rest()) {
            Some(Ok((text, size))) => {
                self.at += size;
                Ok(Some(Literal::Str(text)))
            }
            Some(Err(mistake)) => Err(Stop::Wrong(mistake)),
            None => Ok(None),
        }
    }

    fn items(&mut self, close: char, depth: usize) -> Parsed<Option<Vec<Literal>>> {
        self.at += 1;
        let items = self.elements(depth + 1)?;
        self.expect(close)?;
        Ok(Some(items))
    }

    /// A dictionary. Its keys are strings; the last value of a key counts.
    fn members(&mut self, depth: usize) -> Parsed<Literal> {
        self.at += 1;
        let mut members: Vec<(String, Literal)> = Vec::new();
        loop {
            self.blank();
            let Some(Literal::Str(key)) = self.string()? else {
                break;
            };
            self.expect(':')?;
            let value = self.required(depth + 1)?;
            match members.iter_mut().find(|(known, _)| *known == key) {
                Some((_, known)) => *known = value,
                None => members.push((key, value)),
            }
            if !self.accept(',') {
                break;
            }
        }
        self.expect('}')?;
        Ok(Literal::Dict(members))
    }

    fn word(&mut self) -> Option<Literal> {
        let words = [
            ("True", Literal::Bool(true)),
            ("False", Literal::Bool(false)),
            ("None", Literal::None),
        ];
        let is_part = |next: char| next.is_ascii_alphanumeric() || matches!(next, '_' | '$');
        let word = self.rest().iter().copied();
        let word: String = word.take_while(|next| is_part(*next)).collect();
        let (_, value) = words.into_iter().find(|(name, _)| *name == word)?;
        self.at += word.len();
        Some(value)
    }

    fn number(&mut self) -> Parsed<Option<Literal>> {
        let Some((printed, is_whole)) = number(self.rest()) else {
            return Ok(None);
        };
        self.at += printed.len();
        if !is_whole {
            let number = printed.parse().map_err(|_| Stop::Unfit)?;
            return Ok(Some(Literal::Float(number)));
        }
        let digits = printed.trim_start_matches(['+', '-']);
        if digits.len() > MAX_DIGITS {
            return Err(Stop::Wrong(Mistake::new(
                Exception::ValueError,
                format!(
                    "Exceeds the limit ({MAX_DIGITS} digits) for integer string conversion: value has {} digits; use sys.set_int_max_str_digits() to increase the limit",
                    digits.len()
                ),
            )));
        }
        let sign = if printed.starts_with('-') { "-" } else { "" };
        Ok(Some(Literal::Int(match digits.trim_start_matches('0') {
            "" => "0".to_owned(),
            digits => format!("{sign}{digits}"),
        })))
    }
}

/// The number at the beginning, and whether it is a whole one.
fn number(source: &[char]) -> Option<(String, bool)> {
    let digits = |from: usize| {
        let rest = source.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|next| next.is_ascii_digit()).count()
    };
    let is_one_of = |at: usize, set: &[char]| source.get(at).is_some_and(|next| set.contains(next));
    let start = usize::from(is_one_of(0, &['+', '-']));
    let whole = digits(start);
    let mut end = whole;
    if is_one_of(whole, &['.']) {
        end = digits(whole + 1);
        if whole == start && end == whole + 1 {
            return None;
        }
    } else if whole == start {
        return None;
    }
    if is_one_of(end, &['e', 'E']) {
        let exponent = end + 1 + usize::from(is_one_of(end + 1, &['+', '-']));
        let after = digits(exponent);
        if after > exponent {
            end = after;
        }
    }
    Some((source.get(..end)?.iter().collect(), end == whole))
}

/// Letters of Latin-1 and the underscore.
fn begins_name(character: char) -> bool {
    matches!(character, '_' | 'a'..='z' | 'A'..='Z' | 'ª' | 'µ' | 'º')
        || (('À'..='ÿ').contains(&character) && !matches!(character, '×' | '÷'))
}

fn continues_name(character: char) -> bool {
    begins_name(character) || character.is_ascii_digit() || character == '·'
}

/// The text with blanks for tabs, up to the next column of eight.
fn without_tabs(text: &str) -> Vec<char> {
    let mut expanded = Vec::with_capacity(text.len());
    let mut column = 0;
    for character in text.chars() {
        match character {
            '\t' => {
                let blanks = 8 - column % 8;
                expanded.extend(std::iter::repeat_n(' ', blanks));
                column += blanks;
            }
            '\n' | '\r' => {
                expanded.push(character);
                column = 0;
            }
            other => {
                expanded.push(other);
                column += 1;
            }
        }
    }
    expanded
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;

//! Python regular expressions, checked as Python checks them and rewritten for the Rust engines.
//!
//! A pattern is what a model writes with Python in mind, and a wrong one is answered with Python's own message. What
//! Python accepts but the Rust syntax would refuse or read differently (`foo{`, `[[]`, `\Z`, `{,3}`) is rewritten;
//! look-around, references and the like are passed on and marked, because only a backtracking engine can run them.

mod escapes;
mod flags;
mod groups;
mod set;
mod tokens;

use std::collections::HashMap;

pub use tokens::PatternError;
use tokens::{Token, Tokens};

/// Patterns nested deeper than this are refused; Python's own limit is of the same order.
const MAX_NESTING: usize = 150;

/// A set without members: matches nothing.
const NOTHING: &str = r"[^\s\S]";

/// A pattern in the syntax of the Rust engines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Translated {
    pub(crate) source: String,
    /// It uses look-around, references to groups, atomic groups or conditions.
    pub(crate) needs_backtracking: bool,
    /// It names a line break or the ends of the whole text, so single lines are not enough to decide it.
    pub(crate) spans_lines: bool,
}

/// Checks a Python pattern and rewrites it.
pub(crate) fn translate(pattern: &str) -> Result<Translated, PatternError> {
    let as_python = parse(pattern, false)?;
    if !pattern.contains("[:") {
        return Ok(as_python);
    }
    // `[[:alpha:]]` is legal Python, but means what grep programs take it for. Only a legal pattern is read again.
    Ok(parse(pattern, true).unwrap_or(as_python))
}

fn parse(pattern: &str, posix_names: bool) -> Result<Translated, PatternError> {
    let mut parser = Parser {
        tokens: Tokens::new(pattern)?,
        out: String::with_capacity(pattern.len() + 16),
        groups: vec![None],
        names: HashMap::new(),
        conditions: Vec::new(),
        look_behind_groups: None,
        variable_look_behind: false,
        global: Scope::default(),
        posix_names,
        needs_backtracking: false,
        spans_lines: false,
    };
    parser.alternatives(Scope::default(), 0)?;
    if parser.tokens.peek().is_some() {
        return Err(parser.tokens.error("unbalanced parenthesis", 0));
    }
    if let Some((group, position)) = parser
        .conditions
        .iter()
        .find(|(group, _)| *group >= parser.groups.len())
    {
        return Err(parser
            .tokens
            .error_at(format!("invalid group reference {group}"), *position));
    }
    if parser.variable_look_behind {
        return Err(PatternError::new(
            "look-behind requires fixed-width pattern",
        ));
    }
    Ok(Translated {
        source: parser.out,
        needs_backtracking: parser.needs_backtracking,
        spans_lines: parser.spans_lines,
    })
}

/// How many characters something can match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Width {
    min: u64,
    max: u64,
}

impl Width {
    const ZERO: Self = Self { min: 0, max: 0 };

    fn then(self, next: Self) -> Self {
        Self {
            min: self.min.saturating_add(next.min),
            max: self.max.saturating_add(next.max),
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    fn times(self, least: u64, most: u64) -> Self {
        Self {
            min: self.min.saturating_mul(least),
            max: self.max.saturating_mul(most),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    Anchor,
    Repeat,
    Other,
}

/// What the last thing written was, as far as a quantifier behind it needs to know.
#[derive(Debug, Clone, Copy)]
struct Item {
    kind: ItemKind,
    width: Width,
}

impl Item {
    const ONE: Self = Self {
        kind: ItemKind::Other,
        width: Width { min: 1, max: 1 },
    };

    fn anchor() -> Self {
        Self {
            kind: ItemKind::Anchor,
            width: Width::ZERO,
        }
    }

    fn other(width: Width) -> Self {
        Self {
            kind: ItemKind::Other,
            width,
        }
    }
}

/// Flags that change how the pattern itself is read.
#[derive(Debug, Clone, Copy, Default)]
struct Scope {
    verbose: bool,
    ascii: bool,
}

#[derive(Debug)]
struct Parser {
    tokens: Tokens,
    out: String,
    /// Width of each group once it is closed; group 0 is the whole pattern and never closed.
    groups: Vec<Option<Width>>,
    names: HashMap<String, usize>,
    /// Groups that conditions refer to by number, with the place: they may be defined later.
    conditions: Vec<(usize, usize)>,
    look_behind_groups: Option<usize>,
    variable_look_behind: bool,
    global: Scope,
    /// Whether `[:alpha:]` and the like inside a set are names of character classes.
    posix_names: bool,
    needs_backtracking: bool,
    spans_lines: bool,
}

impl Parser {
    /// `a|b|c`, up to the end or a `)`.
    fn alternatives(&mut self, scope: Scope, nested: usize) -> Result<Width, PatternError> {
        let mut scope = scope;
        let mut width = self.sequence(scope, nested, nested == 0)?;
        while self.tokens.eat('|')? {
            self.out.push('|');
            if nested == 0 {
                scope = self.global;
            }
            width = width.or(self.sequence(scope, nested, false)?);
        }
        Ok(width)
    }

    /// Items one after the other, up to the end, a `|` or a `)`.
    fn sequence(
        &mut self,
        scope: Scope,
        nested: usize,
        first: bool,
    ) -> Result<Width, PatternError> {
        if nested > MAX_NESTING {
            return Err(self.tokens.error("pattern is nested too deeply", 0));
        }
        let mut scope = scope;
        let mut done = Width::ZERO;
        let mut last: Option<Item> = None;
        while let Some(token) = self.tokens.peek() {
            if matches!(token, Token::Char('|' | ')')) {
                break;
            }
            self.tokens.take()?;
            if scope.verbose && self.skip_verbose(token)? {
                continue;
            }
            let item = match token {
                Token::Char(c @ ('*' | '+' | '?' | '{')) => match self.quantifier(c, last)? {
                    Quantified::Repeat(item) => {
                        last = Some(item);
                        continue;
                    }
                    Quantified::LiteralBrace => self.literal_item('{'),
                },
                Token::Char('(') => {
                    match self.group(&mut scope, nested, first && last.is_none())? {
                        Some(item) => item,
                        None => continue,
                    }
                }
                Token::Char('[') => self.set(scope)?,
                Token::Char('.') => {
                    self.out.push('.');
                    Item::ONE
                }
                Token::Char(c @ ('^' | '$')) => {
                    self.out.push(c);
                    Item::anchor()
                }
                Token::Char(c) => self.literal_item(c),
                Token::Escape(c) => self.escape(c, scope)?,
            };
            done = done.then(last.map_or(Width::ZERO, |item| item.width));
            last = Some(item);
        }
        Ok(done.then(last.map_or(Width::ZERO, |item| item.width)))
    }

    /// Whether the token is blank space or a comment, which verbose patterns leave out.
    fn skip_verbose(&mut self, token: Token) -> Result<bool, PatternError> {
        match token {
            Token::Char(' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c') => Ok(true),
            Token::Char('#') => {
                while !matches!(self.tokens.take()?, None | Some(Token::Char('\n'))) {}
                Ok(true)
            }
            Token::Char(_) | Token::Escape(_) => Ok(false),
        }
    }

    fn quantifier(&mut self, c: char, last: Option<Item>) -> Result<Quantified, PatternError> {
        let here = self.tokens.position();
        let (least, most) = match c {
            '?' => (0, Some(1)),
            '*' => (0, None),
            '+' => (1, None),
            _ => match self.counts(here)? {
                Some(counts) => counts,
                None => return Ok(Quantified::LiteralBrace),
            },
        };
        let item = match last {
            Some(item) if item.kind == ItemKind::Other => item,
            Some(item) if item.kind == ItemKind::Repeat => {
                return Err(self.tokens.error_at("multiple repeat", here - 1));
            }
            Some(_) | None => return Err(self.tokens.error_at("nothing to repeat", here - 1)),
        };
        match (c, most) {
            ('{', Some(most)) => self.out.extend([format!("{{{least},{most}}}")]),
            ('{', None) => self.out.extend([format!("{{{least},}}")]),
            (c, _) => self.out.push(c),
        }
        if self.tokens.eat('?')? {
            self.out.push('?');
        } else if self.tokens.eat('+')? {
            self.needs_backtracking = true;
            self.out.push('+');
        }
        Ok(Quantified::Repeat(Item {
            kind: ItemKind::Repeat,
            width: item.width.times(least, most.unwrap_or(u64::MAX)),
        }))
    }

    /// The numbers of `{m,n}` after its brace; `None` if it is no quantifier but a plain brace.
    fn counts(&mut self, here: usize) -> Result<Option<(u64, Option<u64>)>, PatternError> {
        if self.tokens.peek() == Some(Token::Char('}')) {
            return Ok(None);
        }
        let least = self.tokens.take_while(usize::MAX, |c| c.is_ascii_digit())?;
        let most = if self.tokens.eat(',')? {
            self.tokens.take_while(usize::MAX, |c| c.is_ascii_digit())?
        } else {
            least.clone()
        };
        if !self.tokens.eat('}')? {
            self.tokens.rewind(here)?;
            return Ok(None);
        }
        let (least, most) = (count(&least)?, count(&most)?);
        let least = least.unwrap_or(0);
        if most.is_some_and(|most| most < least) {
            return Err(self
                .tokens
                .error_at("min repeat greater than max repeat", here));
        }
        Ok(Some((least, most)))
    }

    fn literal_item(&mut self, c: char) -> Item {
        self.literal(u32::from(c));
        Item::ONE
    }

    /// Writes one character so that it stands for itself.
    fn literal(&mut self, code: u32) {
        let Some(c) = char::from_u32(code) else {
            // A surrogate: no text holds it.
            self.out.push_str(NOTHING);
            return;
        };
        self.spans_lines |= c == '\n';
        if matches!(
            c,
            '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$'
        ) {
            self.out.push('\\');
        }
        self.out.push(c);
    }
}

/// A repetition count; `None` where none is written.
fn count(digits: &str) -> Result<Option<u64>, PatternError> {
    const MAX_REPEAT: u64 = u32::MAX as u64;
    if digits.is_empty() {
        return Ok(None);
    }
    match digits.parse() {
        Ok(count) if count < MAX_REPEAT => Ok(Some(count)),
        Ok(_) | Err(_) => Err(PatternError::new("the repetition number is too large")),
    }
}

enum Quantified {
    Repeat(Item),
    LiteralBrace,
}

#[cfg(test)]
#[path = "python_regex_tests.rs"]
mod tests;

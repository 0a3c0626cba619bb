//! Groups of a Python regular expression: captures, flags, look-around, conditions.

use super::flags::{Flags, is_flag};
use super::tokens::{PatternError, Token, python_repr};
use super::{Item, Parser, Scope, Width};

impl Parser {
    /// A group; its `(` is taken already. `None` for what leaves nothing behind: comments and global flags.
    pub(super) fn group(
        &mut self,
        scope: &mut Scope,
        nested: usize,
        may_set_flags: bool,
    ) -> Result<Option<Item>, PatternError> {
        let start = self.tokens.position() - 1;
        if !self.tokens.eat('?')? {
            return self.capture(None, *scope, nested, start).map(Some);
        }
        let kind = self.expect_more()?;
        match kind {
            Token::Char('P') => self.python_group(*scope, nested, start).map(Some),
            Token::Char(':') => self.plain_group("(?:", *scope, nested, start).map(Some),
            Token::Char('>') => {
                self.needs_backtracking = true;
                self.plain_group("(?>", *scope, nested, start).map(Some)
            }
            Token::Char('#') => self.comment(start).map(|()| None),
            Token::Char('=') => self.look_around("(?=", *scope, nested, start).map(Some),
            Token::Char('!') => self.look_around("(?!", *scope, nested, start).map(Some),
            Token::Char('<') => match self.expect_more()? {
                Token::Char('=') => self.look_behind("(?<=", *scope, nested, start).map(Some),
                Token::Char('!') => self.look_behind("(?<!", *scope, nested, start).map(Some),
                other @ (Token::Char(_) | Token::Escape(_)) => Err(self
                    .tokens
                    .error(format!("unknown extension ?<{other}"), other.len() + 2)),
            },
            Token::Char('(') => self.condition(*scope, nested, start).map(Some),
            Token::Char(c) if c == '-' || is_flag(c) => {
                let flags = self.flags(c)?;
                if flags.global {
                    if !may_set_flags {
                        let message = "global flags not at the start of the expression";
                        return Err(self.tokens.error_at(message, start));
                    }
                    self.set_global(&flags, scope);
                    return Ok(None);
                }
                self.flagged_group(&flags, *scope, nested, start).map(Some)
            }
            other @ (Token::Char(_) | Token::Escape(_)) => Err(self
                .tokens
                .error(format!("unknown extension ?{other}"), other.len() + 1)),
        }
    }

    fn expect_more(&mut self) -> Result<Token, PatternError> {
        match self.tokens.take()? {
            Some(token) => Ok(token),
            None => Err(self.tokens.error("unexpected end of pattern", 0)),
        }
    }

    /// `(?P<name>...)` and `(?P=name)`.
    fn python_group(
        &mut self,
        scope: Scope,
        nested: usize,
        start: usize,
    ) -> Result<Item, PatternError> {
        if self.tokens.eat('<')? {
            let name = self.group_name('>')?;
            return self.capture(Some(name), scope, nested, start);
        }
        if self.tokens.eat('=')? {
            let name = self.group_name(')')?;
            let back = name.chars().count() + 1;
            let Some(&group) = self.names.get(&name) else {
                let message = format!("unknown group name {}", python_repr(&name));
                return Err(self.tokens.error(message, back));
            };
            let width = self.closed_group(group, back)?;
            return self.back_reference(group, width);
        }
        let other = self.expect_more()?;
        Err(self
            .tokens
            .error(format!("unknown extension ?P{other}"), other.len() + 2))
    }

    fn group_name(&mut self, terminator: char) -> Result<String, PatternError> {
        let name = self.tokens.take_until(terminator, "group name")?;
        if is_identifier(&name) {
            return Ok(name);
        }
        let message = format!("bad character in group name {}", python_repr(&name));
        Err(self.tokens.error(message, name.chars().count() + 1))
    }

    /// A capturing group. Names are dropped in the output: references are written as numbers.
    fn capture(
        &mut self,
        name: Option<String>,
        scope: Scope,
        nested: usize,
        start: usize,
    ) -> Result<Item, PatternError> {
        let group = self.groups.len();
        self.groups.push(None);
        if let Some(name) = name {
            if let Some(earlier) = self.names.get(&name) {
                let shown = python_repr(&name);
                let message = format!(
                    "redefinition of group name {shown} as group {group}; was group {earlier}"
                );
                return Err(self.tokens.error(message, name.chars().count() + 1));
            }
            self.names.insert(name, group);
        }
        let item = self.plain_group("(", scope, nested, start)?;
        if let Some(slot) = self.groups.get_mut(group) {
            *slot = Some(item.width);
        }
        Ok(item)
    }

    fn plain_group(
        &mut self,
        opening: &str,
        scope: Scope,
        nested: usize,
        start: usize,
    ) -> Result<Item, PatternError> {
        self.out.push_str(opening);
        let width = self.alternatives(scope, nested + 1)?;
        self.close(start)?;
        Ok(Item::other(width))
    }

    fn close(&mut self, start: usize) -> Result<(), PatternError> {
        if !self.tokens.eat(')')? {
            return Err(self
                .tokens
                .error_at("missing ), unterminated subpattern", start));
        }
        self.out.push(')');
        Ok(())
    }

    fn comment(&mut self, start: usize) -> Result<(), PatternError> {
        loop {
            if self.tokens.peek().is_none() {
                return Err(self
                    .tokens
                    .error_at("missing ), unterminated comment", start));
            }
            if self.tokens.take()? == Some(Token::Char(')')) {
                return Ok(());
            }
        }
    }

    fn look_around(
        &mut self,
        opening: &str,
        scope: Scope,
        nested: usize,
        start: usize,
    ) -> Result<Item, PatternError> {
        self.needs_backtracking = true;
        self.plain_group(opening, scope, nested, start)?;
        Ok(Item::other(Width::ZERO))
    }

    fn look_behind(
        &mut self,
        opening: &str,
        scope: Scope,
        nested: usize,
        start: usize,
    ) -> Result<Item, PatternError> {
        self.needs_backtracking = true;
        let outer = self.look_behind_groups;
        if outer.is_none() {
            self.look_behind_groups = Some(self.groups.len());
        }
        let item = self.plain_group(opening, scope, nested, start)?;
        self.look_behind_groups = outer;
        self.variable_look_behind |= item.width.min != item.width.max;
        Ok(Item::other(Width::ZERO))
    }

    /// A group may not be referred to from inside the look-behind that defines it.
    pub(super) fn check_look_behind(&self, group: usize) -> Result<(), PatternError> {
        let Some(first_inside) = self.look_behind_groups else {
            return Ok(());
        };
        self.closed_group(group, 0)?;
        if group >= first_inside {
            let message = "cannot refer to group defined in the same lookbehind subpattern";
            return Err(self.tokens.error(message, 0));
        }
        Ok(())
    }

    /// `(?(group)yes|no)`; everything up to the second `(` is taken already.
    fn condition(
        &mut self,
        scope: Scope,
        nested: usize,
        start: usize,
    ) -> Result<Item, PatternError> {
        self.needs_backtracking = true;
        let name = self.tokens.take_until(')', "group name")?;
        let length = name.chars().count();
        let group = self.condition_group(&name, length + 1)?;
        self.check_look_behind(group)?;
        self.out.extend(["(?(", &group.to_string(), ")"]);
        let mut width = self.sequence(scope, nested + 1, false)?;
        if self.tokens.eat('|')? {
            self.out.push('|');
            width = width.or(self.sequence(scope, nested + 1, false)?);
            if self.tokens.peek() == Some(Token::Char('|')) {
                let message = "conditional backref with more than two branches";
                return Err(self.tokens.error(message, 0));
            }
        } else {
            width.min = 0;
        }
        self.close(start)?;
        Ok(Item::other(width))
    }

    fn condition_group(&mut self, name: &str, back: usize) -> Result<usize, PatternError> {
        if is_identifier(name) {
            let message = format!("unknown group name {}", python_repr(name));
            return self
                .names
                .get(name)
                .copied()
                .ok_or_else(|| self.tokens.error(message, back));
        }
        let number = if name.chars().all(|c| c.is_ascii_digit()) {
            name.parse::<usize>().ok()
        } else {
            None
        };
        match number {
            None => {
                let message = format!("bad character in group name {}", python_repr(name));
                Err(self.tokens.error(message, back))
            }
            Some(0) => Err(self.tokens.error("bad group number", back)),
            Some(group) => {
                let position = self.tokens.position().saturating_sub(back);
                self.conditions.push((group, position));
                Ok(group)
            }
        }
    }

    fn flagged_group(
        &mut self,
        flags: &Flags,
        scope: Scope,
        nested: usize,
        start: usize,
    ) -> Result<Item, PatternError> {
        let inner = Scope {
            verbose: flags.verbose.unwrap_or(scope.verbose),
            ascii: flags.ascii.unwrap_or(scope.ascii),
        };
        let dash = if flags.remove.is_empty() { "" } else { "-" };
        let opening = format!("(?{}{dash}{}:", flags.add, flags.remove);
        self.plain_group(&opening, inner, nested, start)
    }

    fn set_global(&mut self, flags: &Flags, scope: &mut Scope) {
        if !flags.add.is_empty() {
            self.out.extend(["(?", &flags.add, ")"]);
        }
        self.global.verbose |= flags.verbose == Some(true);
        self.global.ascii |= flags.ascii == Some(true);
        *scope = self.global;
    }
}

fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    let begins = chars.next().is_some_and(|c| c == '_' || c.is_alphabetic());
    begins && chars.all(|c| c == '_' || c.is_alphanumeric())
}

//! Laid-out markup, cut into tags, text and references.

use std::borrow::Cow;
use std::collections::VecDeque;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Start {
        name: &'a str,
        attributes: Vec<(&'a str, Cow<'a, str>)>,
    },
    End(&'a str),
    Text(&'a str),
    /// A character that markup has to write by name.
    Named(&'static str),
}

pub(super) struct Tokens<'a> {
    rest: &'a str,
    /// The element whose content is no markup, while inside of one.
    raw: Option<&'a str>,
    waiting: VecDeque<Token<'a>>,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(markup: &'a str) -> Self {
        Self {
            rest: markup,
            raw: None,
            waiting: VecDeque::new(),
        }
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    fn take_past(&mut self, mark: char) -> &'a str {
        let end = self
            .rest
            .find(mark)
            .map_or(self.rest.len(), |at| at + mark.len_utf8());
        self.take(end)
    }

    fn start(&mut self) {
        self.take(1);
        let end = self.rest.find(|character: char| {
            matches!(character, '\t' | '\n' | '\r' | '\x0c' | ' ' | '/' | '>')
        });
        let name = self.take(end.unwrap_or(self.rest.len()));
        let mut attributes = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            let end = self
                .rest
                .find(['=', '>', '/', ' '])
                .unwrap_or(self.rest.len());
            if end == 0 {
                break;
            }
            let name = self.take(end);
            let Some(rest) = self.rest.strip_prefix('=') else {
                attributes.push((name, Cow::Borrowed("")));
                continue;
            };
            self.rest = rest;
            let Some(quote) = self
                .rest
                .chars()
                .next()
                .filter(|quote| matches!(quote, '"' | '\''))
            else {
                break;
            };
            self.take(1);
            let end = self.rest.find(quote).unwrap_or(self.rest.len());
            let value = self.take(end);
            self.take(1);
            attributes.push((name, unescaped(value)));
        }
        let is_short = self.rest.starts_with("/>");
        self.take_past('>');
        self.waiting.push_back(Token::Start { name, attributes });
        if is_short {
            self.waiting.push_back(Token::End(name));
        } else if matches!(name, "script" | "style") {
            self.raw = Some(name);
        }
    }

    fn end(&mut self) {
        let tag = self.take_past('>');
        let name = tag.trim_start_matches("</").trim_end_matches('>').trim();
        // Anything else is a comment.
        if name.starts_with(|first: char| first.is_ascii_alphabetic()) {
            self.waiting.push_back(Token::End(name));
        }
    }

    fn raw_text(&mut self, name: &str) {
        let end = format!("</{name}>");
        let at = self.rest.find(&end).unwrap_or(self.rest.len());
        if at > 0 {
            let text = self.take(at);
            self.waiting.push_back(Token::Text(text));
        }
        self.raw = None;
    }

    fn step(&mut self) {
        if let Some(name) = self.raw {
            self.raw_text(name);
            return;
        }
        let end = self.rest.find(['<', '&']).unwrap_or(self.rest.len());
        if end > 0 {
            let text = self.take(end);
            self.waiting.push_back(Token::Text(text));
            return;
        }
        let second = self.rest.chars().nth(1);
        match second {
            _ if self.rest.starts_with('&') => self.named(),
            Some(letter) if letter.is_ascii_alphabetic() => self.start(),
            Some('/') => self.end(),
            Some('!') if self.rest.starts_with("<!--") => {
                let end = self.rest.find("-->").map_or(self.rest.len(), |at| at + 3);
                self.take(end);
            }
            Some('!' | '?') => {
                self.take_past('>');
            }
            _ => {
                let text = self.take(1);
                self.waiting.push_back(Token::Text(text));
            }
        }
    }

    /// The layout writes three characters by name, and no other `&`.
    fn named(&mut self) {
        for (written, character) in [("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")] {
            if self.rest.starts_with(written) {
                self.take(written.len());
                self.waiting.push_back(Token::Named(character));
                return;
            }
        }
        let text = self.take(1);
        self.waiting.push_back(Token::Text(text));
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        while self.waiting.is_empty() && (!self.rest.is_empty() || self.raw.is_some()) {
            self.step();
        }
        self.waiting.pop_front()
    }
}

fn unescaped(value: &str) -> Cow<'_, str> {
    if value.contains('&') {
        let value = value
            .replace("&quot;", "\"")
            .replace("&lt;", "<")
            .replace("&gt;", ">");
        Cow::Owned(value.replace("&amp;", "&"))
    } else {
        Cow::Borrowed(value)
    }
}

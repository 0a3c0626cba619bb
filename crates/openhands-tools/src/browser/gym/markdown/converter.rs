//! The state between a page's tags, and what its words become.

use super::escape;
use super::output::{How, Output, stripped};
use super::tokens::Token;
use crate::browser::gym::python::is_space;

/// A link that was begun.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) address: String,
    pub(super) title: String,
}

#[derive(Debug)]
pub(super) struct List {
    pub(super) is_ordered: bool,
    pub(super) number: i64,
}

#[derive(Debug)]
pub(super) struct Converter {
    pub(super) output: Output,
    /// Open links; `None` for one that leads nowhere.
    pub(super) links: Vec<Option<Link>>,
    /// The address of a link of which nothing was written yet.
    pub(super) pending_link: Option<String>,
    pub(super) link_is_empty: bool,
    pub(super) lists: Vec<List>,
    pub(super) last_was_list: bool,
    pub(super) in_code: bool,
    pub(super) in_quotation: bool,
    /// An emphasis began: blanks before its words are dropped.
    pub(super) stressed: bool,
    pub(super) was_stressed: bool,
    pub(super) last_words: String,
    pub(super) tag: String,
    pub(super) abbreviation_title: Option<String>,
    pub(super) cell_follows: bool,
    pub(super) cells: usize,
    pub(super) table_starts: bool,
}

impl Default for Converter {
    fn default() -> Self {
        Self {
            output: Output::new(),
            links: Vec::new(),
            pending_link: None,
            link_is_empty: false,
            lists: Vec::new(),
            last_was_list: false,
            in_code: false,
            in_quotation: false,
            stressed: false,
            was_stressed: false,
            last_words: String::new(),
            tag: String::new(),
            abbreviation_title: None,
            cell_follows: false,
            cells: 0,
            table_starts: false,
        }
    }
}

impl Converter {
    pub(super) fn take(&mut self, token: Token<'_>) {
        match token {
            Token::Start { name, attributes } => self.tag(name, Some(&attributes)),
            Token::End(name) => self.tag(name, None),
            Token::Text(text) => self.words(text, false),
            Token::Named(character) => self.words(character, true),
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.output.line_break();
        self.output.write("", How::End);
        self.output
            .pieces
            .concat()
            .replace("&nbsp_place_holder;", " ")
    }

    /// The bracket of a link is written with the first thing in it.
    pub(super) fn open_bracket(&mut self) {
        self.output.mark("[");
        self.pending_link = None;
        self.link_is_empty = false;
    }

    fn words(&mut self, text: &str, is_named: bool) {
        let mut text = text.to_owned();
        if self.stressed {
            text = stripped(&text);
            self.stressed = false;
            self.was_stressed = true;
        } else if self.was_stressed {
            let joins = text
                .chars()
                .next()
                .is_some_and(|first| !is_space(first) && !"][(){}.!?".contains(first));
            if joins
                && heading(&self.tag) == 0
                && !matches!(self.tag.as_str(), "a" | "code" | "pre")
            {
                text.insert(0, ' ');
            }
            self.was_stressed = false;
        }
        if let Some(address) = &self.pending_link {
            if *address == text && is_absolute(address) {
                self.output.mark(&format!("<{text}>"));
                self.link_is_empty = false;
                return;
            }
            self.open_bracket();
        }
        if !self.in_code && !self.output.in_pre && !is_named {
            text = escape::section(&text);
        }
        self.output.write(&text, How::Words);
        self.last_words = text;
    }
}

/// `h3` is 3; what is no heading is 0.
pub(super) fn heading(tag: &str) -> usize {
    let mut characters = tag.chars();
    match (characters.next(), characters.next(), characters.next()) {
        (Some('h'), Some(level @ '1'..='9'), None) => level
            .to_digit(10)
            .and_then(|level| usize::try_from(level).ok())
            .unwrap_or(0),
        _ => 0,
    }
}

/// Begins with a scheme.
fn is_absolute(address: &str) -> bool {
    address.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphabetic() || c == '+')
    })
}

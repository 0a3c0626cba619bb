//! Markup, read into balanced starts and ends.

use super::entities;
use super::scan::{Scan, is_blank};
use super::tags;

/// What markup holds, in order; every start has its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Start {
        name: String,
        attributes: Vec<(String, String)>,
    },
    End(String),
    Text(String),
    /// A comment or an instruction, as it is written.
    Aside(String),
}

/// The longest name that is read in one piece.
const MAX_NAME_CHARS: usize = 100;

pub(super) fn read(markup: &str) -> Vec<Piece> {
    let mut reader = Reader {
        scan: Scan::new(markup),
        pieces: Vec::new(),
        open: Vec::new(),
        dropped: 0,
        had_head: false,
        had_body: false,
        over: false,
    };
    while !reader.scan.is_done() && !reader.over {
        reader.step();
    }
    while reader.pop() {}
    reader.pieces
}

struct Reader<'a> {
    scan: Scan<'a>,
    pieces: Vec<Piece>,
    open: Vec<String>,
    /// Starts of `html`, `head` and `body` that stood where they have no meaning; their ends mean nothing either.
    dropped: usize,
    had_head: bool,
    had_body: bool,
    /// The end of `html` was met.
    over: bool,
}

impl Reader<'_> {
    fn step(&mut self) {
        if matches!(self.innermost(), Some("script" | "style")) && self.raw_text() {
            return;
        }
        match (self.scan.byte(0), self.scan.byte(1)) {
            (Some(b'<'), Some(b'/')) => self.end_tag(),
            (Some(b'<'), Some(b'!')) => self.declaration(),
            (Some(b'<'), Some(b'?')) => {
                self.scan.skip(2);
                let instruction = self.scan.take_past(">");
                self.pieces.push(Piece::Aside(format!("<?{instruction}>")));
            }
            (Some(b'<'), Some(next)) if next.is_ascii_alphabetic() => self.start_tag(),
            (Some(b'<'), _) => {
                self.scan.skip(1);
                self.text("<");
            }
            (Some(b'&'), _) => {
                let text = self.reference();
                self.text(&text);
            }
            _ => {
                let text = self
                    .scan
                    .take_while(|character| !matches!(character, '<' | '&'));
                self.text(text);
            }
        }
    }

    fn innermost(&self) -> Option<&str> {
        self.open.last().map(String::as_str)
    }

    fn push(&mut self, name: &str, attributes: Vec<(String, String)>) {
        self.had_head |= name == "head";
        self.had_body |= name == "body";
        self.open.push(name.to_owned());
        self.pieces.push(Piece::Start {
            name: name.to_owned(),
            attributes,
        });
    }

    fn pop(&mut self) -> bool {
        let Some(name) = self.open.pop() else {
            return false;
        };
        self.pieces.push(Piece::End(name));
        true
    }

    fn text(&mut self, text: &str) {
        let blank = text.chars().all(is_blank);
        if matches!(self.innermost(), None | Some("html" | "head")) {
            if blank {
                return;
            }
            // Words have no place here: a paragraph is meant.
            self.make_room("p");
            self.push("p", Vec::new());
        }
        match self.pieces.last_mut() {
            Some(Piece::Text(before)) => before.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    /// The content of a script or of a style sheet, up to its own end tag. Says whether there was any.
    fn raw_text(&mut self) -> bool {
        let Some(name) = self.innermost().map(str::to_owned) else {
            return false;
        };
        let rest = self.scan.rest();
        let end = rest
            .match_indices("</")
            .find(|(at, _)| {
                let after = rest.get(at + 2..).unwrap_or_default();
                after
                    .get(..name.len())
                    .is_some_and(|tag| tag.eq_ignore_ascii_case(&name))
            })
            .map_or(rest.len(), |(at, _)| at);
        if end == 0 {
            return false;
        }
        self.pieces
            .push(Piece::Text(rest.get(..end).unwrap_or_default().to_owned()));
        self.scan.skip(end);
        true
    }

    fn declaration(&mut self) {
        if self.scan.eat("<!--") {
            let comment = self.scan.take_past("-->");
            self.pieces.push(Piece::Aside(format!("<!--{comment}-->")));
        } else {
            self.scan.take_past(">");
        }
    }

    fn name(&mut self) -> Option<String> {
        let first = self.scan.peek()?;
        if !(first.is_ascii_alphabetic() || matches!(first, '_' | ':' | '.')) {
            return None;
        }
        let mut name = String::new();
        while let Some(character) = self.scan.peek() {
            let fits =
                character.is_ascii_alphanumeric() || matches!(character, ':' | '-' | '_' | '.');
            if !fits || name.len() >= MAX_NAME_CHARS {
                break;
            }
            name.push(character.to_ascii_lowercase());
            self.scan.skip(character.len_utf8());
        }
        Some(name)
    }

    fn start_tag(&mut self) {
        self.scan.skip(1);
        let Some(name) = self.name() else {
            return;
        };
        self.make_room(&name);
        let misplaced = match name.as_str() {
            "html" => !self.open.is_empty(),
            "head" => self.open.len() != 1,
            "body" => self.open.iter().any(|open| open == "body"),
            _ => false,
        };
        let attributes = self.attributes();
        if misplaced {
            self.dropped += 1;
        } else {
            self.push(&name, attributes);
        }
        if self.scan.eat("/>") {
            if !misplaced {
                self.pop();
            }
            return;
        }
        self.scan.eat(">");
        if !misplaced && tags::is_void(&name) {
            self.pop();
        }
    }

    /// Ends what cannot hold the new element, and starts what it must stand in.
    fn make_room(&mut self, name: &str) {
        while self.innermost().is_some_and(|open| tags::ends(open, name)) {
            self.pop();
        }
        if name == "html" {
            return;
        }
        if self.open.is_empty() {
            self.push("html", Vec::new());
        }
        if matches!(name, "head" | "body") {
            return;
        }
        let of_head = matches!(
            name,
            "script" | "style" | "meta" | "link" | "title" | "base"
        );
        if self.open.len() <= 1 && of_head {
            if !self.had_head {
                self.push("head", Vec::new());
            }
        } else if !matches!(name, "noframes" | "frame" | "frameset")
            && !self.had_body
            && !self
                .open
                .iter()
                .any(|open| open == "body" || open == "head")
        {
            self.push("body", Vec::new());
        }
    }

    fn attributes(&mut self) -> Vec<(String, String)> {
        let mut attributes: Vec<(String, String)> = Vec::new();
        self.scan.skip_blanks();
        while !self.scan.is_done() && !self.at_end_of_tag() {
            match self.name() {
                Some(name) => {
                    let value = self.attribute_value();
                    if !attributes.iter().any(|(known, _)| *known == name) {
                        attributes.push((name, value));
                    }
                }
                None => self.skip_bogus(),
            }
            self.scan.skip_blanks();
        }
        attributes
    }

    fn at_end_of_tag(&self) -> bool {
        self.scan.starts_with(">") || self.scan.starts_with("/>")
    }

    /// What is no attribute, up to the next blank or the end of the tag.
    fn skip_bogus(&mut self) {
        while let Some(character) = self.scan.peek() {
            if is_blank(character) || self.at_end_of_tag() {
                break;
            }
            self.scan.skip(character.len_utf8());
        }
    }

    fn attribute_value(&mut self) -> String {
        self.scan.skip_blanks();
        if !self.scan.eat("=") {
            return String::new();
        }
        self.scan.skip_blanks();
        let quote = self
            .scan
            .peek()
            .filter(|character| matches!(character, '"' | '\''));
        if let Some(quote) = quote {
            self.scan.skip(quote.len_utf8());
        }
        let mut value = String::new();
        while let Some(character) = self.scan.peek() {
            let over = match quote {
                Some(quote) => character == quote,
                None => character == '>' || is_blank(character),
            };
            if over {
                break;
            }
            if character == '&' {
                value.push_str(&self.reference());
            } else {
                value.push(character);
                self.scan.skip(character.len_utf8());
            }
        }
        if quote.is_some() && !self.scan.is_done() {
            self.scan.skip(1);
        }
        value
    }

    /// What stands for a character after `&`; a bare `&` when nothing does.
    fn reference(&mut self) -> String {
        self.scan.skip(1);
        if self.scan.eat("#") {
            return self.numbered().map(String::from).unwrap_or_default();
        }
        let first = self.scan.peek();
        if !first.is_some_and(|first| first.is_alphabetic() || matches!(first, '_' | ':')) {
            return "&".to_owned();
        }
        let name = self.scan.take_while(|character| {
            character.is_alphanumeric() || matches!(character, '_' | ':' | '-' | '.')
        });
        match entities::named(name).filter(|_| self.scan.starts_with(";")) {
            Some(character) => {
                self.scan.skip(1);
                character.to_string()
            }
            None => format!("&{name}"),
        }
    }

    fn numbered(&mut self) -> Option<char> {
        let base = if self.scan.eat("x") || self.scan.eat("X") {
            16
        } else {
            10
        };
        let digits = self.scan.take_while(|character| character.is_digit(base));
        self.scan.eat(";");
        let code = u32::from_str_radix(digits, base).ok()?;
        let is_text = matches!(code, 0x9 | 0xa | 0xd | 0x20..);
        char::from_u32(code).filter(|_| is_text)
    }

    fn end_tag(&mut self) {
        self.scan.skip(2);
        let Some(name) = self.name() else {
            return;
        };
        self.scan.take_past(">");
        if self.dropped > 0 && matches!(name.as_str(), "html" | "head" | "body") {
            self.dropped -= 1;
            return;
        }
        let strength = tags::strength(&name);
        for open in self.open.iter().rev() {
            if *open == name {
                while self.innermost().is_some_and(|open| open != name) {
                    self.pop();
                }
                self.pop();
                self.over = name == "html";
                return;
            }
            if tags::strength(open) > strength {
                return;
            }
        }
    }
}

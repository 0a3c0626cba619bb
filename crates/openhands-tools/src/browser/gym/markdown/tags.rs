//! What each tag of a page becomes.

use super::converter::{Converter, Link, List, heading};
use super::escape;
use super::output::How;
use crate::browser::gym::python;
use std::borrow::Cow;

type Attributes<'a> = [(&'a str, Cow<'a, str>)];

impl Converter {
    /// A start has attributes; an end has none.
    pub(super) fn tag(&mut self, tag: &str, attributes: Option<&Attributes<'_>>) {
        let start = attributes.is_some();
        let attribute = |wanted: &str| {
            // The last one counts.
            let mut found = attributes?.iter().rev();
            found
                .find(|(name, _)| *name == wanted)
                .map(|(_, value)| value.as_ref())
        };
        tag.clone_into(&mut self.tag);
        if start
            && self.pending_link.is_some()
            && !matches!(tag, "p" | "div" | "style" | "dl" | "dt")
        {
            self.open_bracket();
        }
        if heading(tag) > 0 && self.heading(heading(tag), start) {
            return;
        }
        self.block(tag, start);
        self.emphasis(tag, start);
        match tag {
            "kbd" | "code" | "tt" if !self.output.in_pre => {
                self.output.mark("`");
                self.in_code = !self.in_code;
            }
            "abbr" => self.abbreviation(start, attribute("title")),
            "q" => {
                self.output.mark("\"");
                self.in_quotation = !self.in_quotation;
            }
            "a" if start => self.link_start(attribute("href"), attribute("title")),
            "a" => self.link_end(),
            _ => {}
        }
        self.definition(tag, start);
        if matches!(tag, "ol" | "ul") {
            self.list(tag, start, attribute("start"));
        } else {
            self.last_was_list = false;
        }
        if tag == "li" {
            self.item(start);
        }
        self.table(tag, start);
        if tag == "pre" {
            self.output.pre_starts |= start;
            self.output.in_pre = start;
            self.output.paragraph();
        }
    }

    /// Says whether the tag is done with.
    fn heading(&mut self, level: usize, start: bool) -> bool {
        let marks = format!("{} ", "#".repeat(level));
        let in_link = !self.links.is_empty();
        if !in_link {
            self.output.paragraph();
        }
        if !start {
            if in_link {
                self.output.breaks = 0;
            }
            return true;
        }
        if !in_link {
            self.output.mark(&marks);
        } else if self.output.pieces.last().is_some_and(|last| last == "[") {
            // A heading that is a link: its marks stand before the bracket.
            self.output.pieces.pop();
            self.output.space = false;
            self.output.mark(&marks);
            self.output.mark("[");
        }
        false
    }

    fn block(&mut self, tag: &str, start: bool) {
        match tag {
            "p" | "div" if self.links.is_empty() && !self.cell_follows => self.output.paragraph(),
            "br" if start => {
                self.output.mark(if self.output.quote_depth > 0 {
                    "  \n> "
                } else {
                    "  \n"
                });
            }
            "hr" if start => {
                self.output.paragraph();
                self.output.mark("* * *");
                self.output.paragraph();
            }
            "head" | "style" | "script" => self.output.quiet += if start { 1 } else { -1 },
            // A head that was never closed ends here.
            "body" => self.output.quiet = 0,
            "blockquote" if start => {
                self.output.paragraph();
                self.output.write("> ", How::Forced);
                self.output.fresh = true;
                self.output.quote_depth += 1;
            }
            "blockquote" => {
                self.output.quote_depth -= 1;
                self.output.paragraph();
            }
            _ => {}
        }
    }

    fn emphasis(&mut self, tag: &str, start: bool) {
        let last = self.last_words.chars().next_back();
        let (mark, collides) = match tag {
            "em" | "i" | "u" => {
                let is_open =
                    |last: char| !matches!(last, ' ' | '\t'..='\r') && !last.is_ascii_punctuation();
                ("_", last.is_some_and(is_open))
            }
            "strong" | "b" => ("**", last == Some('*')),
            "del" | "strike" | "s" => ("~~", last == Some('~')),
            _ => return,
        };
        if start && collides {
            self.last_words.push(' ');
            self.output.mark(&format!(" {mark}"));
        } else {
            self.output.mark(mark);
        }
        self.stressed |= start;
    }

    fn abbreviation(&mut self, start: bool, title: Option<&str>) {
        if start {
            self.abbreviation_title = title.map(str::to_owned);
            self.output.abbreviation = Some(String::new());
            return;
        }
        let short = self.output.abbreviation.take();
        if let (Some(title), Some(short)) = (self.abbreviation_title.take(), short) {
            let known = &mut self.output.abbreviations;
            match known.iter_mut().find(|(known, _)| *known == short) {
                Some((_, meaning)) => *meaning = title,
                None => known.push((short, title)),
            }
        }
    }

    fn link_start(&mut self, address: Option<&str>, title: Option<&str>) {
        let Some(address) = address.filter(|address| !address.starts_with('#')) else {
            self.links.push(None);
            return;
        };
        self.links.push(Some(Link {
            address: address.to_owned(),
            title: title.unwrap_or_default().to_owned(),
        }));
        self.pending_link = Some(address.to_owned());
        self.link_is_empty = true;
    }

    fn link_end(&mut self) {
        let Some(link) = self.links.pop() else {
            return;
        };
        if self
            .pending_link
            .as_ref()
            .is_some_and(|address| !address.is_empty())
            && !self.link_is_empty
        {
            self.pending_link = None;
            return;
        }
        let Some(link) = link else {
            return;
        };
        if self.link_is_empty {
            self.open_bracket();
        }
        self.output.breaks = 0;
        let title = escape::link(&link.title);
        let title = if python::strip(&title).is_empty() {
            String::new()
        } else {
            format!(" \"{title}\"")
        };
        self.output
            .mark(&format!("]({}{title})", escape::link(&link.address)));
    }

    fn definition(&mut self, tag: &str, start: bool) {
        match (tag, start) {
            ("dl", true) => self.output.paragraph(),
            ("dt" | "dd", false) => self.output.line_break(),
            ("dd", true) => self.output.mark("    "),
            _ => {}
        }
    }

    fn list(&mut self, tag: &str, start: bool, first: Option<&str>) {
        if self.lists.is_empty() && !self.last_was_list {
            self.output.paragraph();
        }
        if start {
            let first = first.and_then(|first| python::strip(first).parse::<i64>().ok());
            let number = first.map_or(0, |first| first.saturating_sub(1));
            self.lists.push(List {
                is_ordered: tag == "ol",
                number,
            });
        } else if self.lists.pop().is_some() && self.lists.is_empty() {
            self.output.in_list = false;
            self.output.mark("\n");
        }
        self.output.in_list = !self.lists.is_empty();
        self.last_was_list = true;
    }

    fn item(&mut self, start: bool) {
        self.output.list_indent.clear();
        self.output.line_break();
        if !start {
            return;
        }
        let mut in_ordered = false;
        for list in &self.lists {
            self.output
                .list_indent
                .push_str(if in_ordered { "   " } else { "  " });
            in_ordered = list.is_ordered;
        }
        let indent = self.output.list_indent.clone();
        self.output.mark(&indent);
        if let Some(list) = self.lists.last_mut().filter(|list| list.is_ordered) {
            list.number = list.number.saturating_add(1);
            let mark = format!("{}. ", list.number);
            self.output.list_indent.push_str("   ");
            self.output.mark(&mark);
        } else {
            self.output.list_indent.push_str("  ");
            self.output.mark("* ");
        }
        self.output.fresh = true;
    }

    fn table(&mut self, tag: &str, start: bool) {
        match (tag, start) {
            ("table", true) => self.table_starts = true,
            ("td" | "th", true) => {
                if self.cell_follows {
                    self.output.mark("| ");
                }
                self.cell_follows = true;
                self.cells += 1;
            }
            ("tr", true) => self.cells = 0,
            ("tr", false) => {
                self.cell_follows = false;
                self.output.row_break();
                if self.table_starts {
                    self.output.mark(&vec!["---"; self.cells].join("|"));
                    self.output.row_break();
                    self.table_starts = false;
                }
            }
            _ => {}
        }
    }
}

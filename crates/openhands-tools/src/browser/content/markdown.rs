//! Markdown from the stream of a page's content.

mod layout;
mod lines;
mod table;

use super::stream::{Attributes, Begin, Item};
use layout::Layout;
use lines::Inline;
use table::{Table, is_data_table};

/// The content as Markdown; links lead somewhere only if that is wanted.
pub fn to_markdown(stream: &[Item], links: bool) -> String {
    let mut writer = Writer {
        layout: Layout::default(),
        line: Inline::default(),
        open: Vec::new(),
        lists: Vec::new(),
        code: None,
        table: None,
        links,
    };
    for (position, item) in stream.iter().enumerate() {
        match item {
            Item::Text(text) => writer.text(text),
            Item::Begin(begin) => {
                let inside = stream.get(position + 1..).unwrap_or_default();
                writer.begin(begin, inside);
            }
            Item::End(_) => writer.end(),
        }
    }
    while !writer.open.is_empty() {
        writer.end();
    }
    writer.flush("");
    writer.layout.finish()
}

/// What an open element does when it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Open {
    /// Nothing.
    Plain,
    /// Ends a run of text with a mark around it.
    Mark,
    /// Ends a button: what follows does not touch it.
    Apart,
    /// Ends a block, with this many line ends after it.
    Block(usize),
    /// Ends a heading of this level.
    Heading(usize),
    /// Ends a list.
    List,
    /// Ends the part of a list or quote that has a prefix, with this many line ends after it.
    Prefixed(usize),
    /// Ends a block of code.
    Code,
    /// Ends a table, a row or a cell of it.
    Table,
    Row,
    Cell,
}

struct List {
    /// The number of the next item, in a numbered list.
    next: Option<i64>,
}

struct Writer {
    layout: Layout,
    line: Inline,
    open: Vec<Open>,
    lists: Vec<List>,
    /// The text of a block of code.
    code: Option<String>,
    table: Option<Table>,
    links: bool,
}

impl Writer {
    fn text(&mut self, text: &str) {
        match &mut self.code {
            Some(code) => code.push_str(text),
            None => self.line.text(text),
        }
    }

    /// Writes the text so far as a block of its own.
    fn flush(&mut self, before: &str) {
        if self.table.is_some() {
            // A cell is one line.
            self.line.text(" ");
            return;
        }
        let text = self.line.take();
        self.layout.block(before, &text);
    }

    fn block(&mut self, gap: usize) {
        self.flush("");
        self.layout.gap(gap);
    }

    fn begin(&mut self, begin: &Begin, inside: &[Item]) {
        let tag = begin.tag();
        if self.code.is_some() {
            if tag == "br" {
                self.text("\n");
            }
            self.open.push(Open::Plain);
            return;
        }
        let open = match tag {
            "br" => {
                self.line.line_break();
                Open::Plain
            }
            "img" => {
                self.image(&begin.2);
                Open::Plain
            }
            "b" | "strong" => self.mark("**", "**"),
            "em" | "i" => self.mark("*", "*"),
            "del" | "s" => self.mark("~~", "~~"),
            "code" | "kbd" | "samp" => self.mark("`", "`"),
            "a" if self.links && !begin.2.href.is_empty() => {
                let end = format!("]({})", begin.2.href);
                self.line.mark("[", &end);
                Open::Mark
            }
            "button" => {
                self.line.text(" ");
                Open::Apart
            }
            "table" if self.table.is_none() && is_data_table(inside) => {
                self.block(2);
                self.table = Some(Table::default());
                Open::Table
            }
            _ => self.begin_block(begin),
        };
        self.open.push(open);
    }

    fn mark(&mut self, before: &str, after: &str) -> Open {
        self.line.mark(before, after);
        Open::Mark
    }

    fn begin_block(&mut self, begin: &Begin) -> Open {
        if let Some(table) = &mut self.table {
            return match begin.tag() {
                "tr" => {
                    table.row();
                    Open::Row
                }
                tag @ ("td" | "th") => {
                    table.cell(tag == "th");
                    let _ = self.line.take();
                    Open::Cell
                }
                _ if begin.is_block() => {
                    self.line.text(" ");
                    Open::Plain
                }
                _ => Open::Plain,
            };
        }
        match begin.tag() {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.block(2);
                let level = begin.tag().bytes().last().unwrap_or(b'1');
                Open::Heading(usize::from(level - b'0'))
            }
            "ul" | "ol" | "menu" => {
                self.block(self.list_gap());
                let next = (begin.tag() == "ol").then(|| begin.2.start.unwrap_or(1));
                self.lists.push(List { next });
                Open::List
            }
            "li" => {
                self.block(1);
                let marker = self.marker();
                self.layout.prefix(&marker, &" ".repeat(marker.len()));
                Open::Prefixed(1)
            }
            "dd" => {
                self.block(1);
                self.layout.prefix(": ", "  ");
                Open::Prefixed(1)
            }
            "blockquote" => {
                self.block(2);
                self.layout.prefix("> ", "> ");
                Open::Prefixed(2)
            }
            "pre" => {
                self.block(2);
                self.code = Some(String::new());
                Open::Code
            }
            "hr" => {
                self.block(2);
                self.layout.block("", "---");
                Open::Block(2)
            }
            "td" | "th" => {
                // A table that only arranges the page: its cells stand one after another.
                self.line.text(" ");
                Open::Apart
            }
            "p" => {
                self.block(2);
                Open::Block(2)
            }
            _ if begin.is_block() => {
                self.block(1);
                Open::Block(1)
            }
            _ => Open::Plain,
        }
    }

    /// Line ends around a list: none is empty inside of another list.
    fn list_gap(&self) -> usize {
        if self.lists.is_empty() { 2 } else { 1 }
    }

    fn marker(&mut self) -> String {
        match self.lists.last_mut().and_then(|list| list.next.as_mut()) {
            Some(next) => {
                let marker = format!("{next}. ");
                *next = next.saturating_add(1);
                marker
            }
            None => "- ".to_owned(),
        }
    }

    fn image(&mut self, attributes: &Attributes) {
        let alt = attributes.alt.trim();
        if alt.is_empty() {
            return;
        }
        if attributes.src.is_empty() {
            self.line.text(alt);
        } else {
            self.line.raw(&format!("![{alt}]({})", attributes.src));
        }
    }

    fn end(&mut self) {
        match self.open.pop() {
            None | Some(Open::Plain | Open::Row) => {}
            Some(Open::Mark) => self.line.end_mark(),
            Some(Open::Apart) => self.line.text(" "),
            Some(Open::Block(gap)) => self.block(gap),
            Some(Open::Heading(level)) => {
                self.flush(&format!("{} ", "#".repeat(level)));
                self.layout.gap(2);
            }
            Some(Open::List) => {
                self.flush("");
                self.lists.pop();
                self.layout.gap(self.list_gap());
            }
            Some(Open::Prefixed(gap)) => {
                self.flush("");
                self.layout.end_prefix();
                self.layout.gap(gap);
            }
            Some(Open::Code) => {
                let code = self.code.take().unwrap_or_default();
                self.layout.code(&code);
                self.layout.gap(2);
            }
            Some(Open::Cell) => {
                let text = self.line.take();
                if let Some(table) = &mut self.table {
                    table.fill(&text);
                }
            }
            Some(Open::Table) => {
                let _ = self.line.take();
                if let Some(table) = self.table.take() {
                    self.layout.lines(&table.lines());
                }
                self.layout.gap(2);
            }
        }
    }
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;

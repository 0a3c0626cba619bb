//! Tables of data. Tables that only arrange a page are told from them and read like the rest of it.

use super::Item;

/// Elements that a cell of data does not have.
const LAYOUT: &[&str] = &[
    "table",
    "ul",
    "ol",
    "pre",
    "blockquote",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "form",
    "hr",
    "iframe",
];

/// Whether the table whose inside begins `inside` has rows of several cells and nothing but text in them.
pub(super) fn is_data_table(inside: &[Item]) -> bool {
    let mut depth = 0_usize;
    let (mut rows, mut cells, mut heads) = (0_usize, 0_usize, 0_usize);
    for item in inside {
        match item {
            Item::Text(_) => {}
            Item::Begin(begin) => {
                depth += 1;
                match begin.tag() {
                    "tr" => rows += 1,
                    "td" => cells += 1,
                    "th" => heads += 1,
                    tag if LAYOUT.contains(&tag) => return false,
                    _ => {}
                }
            }
            Item::End(_) => {
                let Some(above) = depth.checked_sub(1) else {
                    break;
                };
                depth = above;
            }
        }
    }
    heads > 0 || rows > 1 && cells > rows
}

/// The cells of a table.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Vec<String>>,
    has_head: bool,
}

impl Table {
    /// Begins a row.
    pub(super) fn row(&mut self) {
        self.rows.push(Vec::new());
    }

    /// Begins a cell.
    pub(super) fn cell(&mut self, is_head: bool) {
        if self.rows.is_empty() {
            self.row();
        }
        self.has_head |= is_head && self.rows.len() == 1;
        if let Some(row) = self.rows.last_mut() {
            row.push(String::new());
        }
    }

    /// Says what stands in the cell that was begun last.
    pub(super) fn fill(&mut self, text: &str) {
        if let Some(cell) = self.rows.last_mut().and_then(|row| row.last_mut()) {
            *cell = text.replace('\n', " ").replace('|', "\\|");
        }
    }

    /// The table in Markdown. Markdown wants a first row of headings: it is empty if the table has none.
    pub(super) fn lines(mut self) -> Vec<String> {
        self.rows.retain(|row| !row.is_empty());
        let width = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        if !self.has_head {
            self.rows.insert(0, Vec::new());
        }
        let mut lines: Vec<String> = self
            .rows
            .into_iter()
            .map(|mut row| {
                row.resize(width, String::new());
                format!("| {} |", row.join(" | "))
            })
            .collect();
        lines.insert(1.min(lines.len()), format!("|{}", " --- |".repeat(width)));
        lines
    }
}

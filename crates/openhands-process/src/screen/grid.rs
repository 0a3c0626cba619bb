//! The lines of a screen: what is visible can change, what scrolled off cannot.

use std::collections::VecDeque;

/// Lines that a program can reach with the cursor, as many as the terminal has.
pub(crate) const ROWS: usize = 200;
/// Where the cursor stops when it is sent to the right; writing goes further.
pub(crate) const COLUMNS: usize = 256;

/// The second half of a wide character.
const CONTINUED: char = '\0';

/// One line. Characters take as many cells as they are wide.
#[derive(Debug, Clone, Default)]
pub(crate) struct Row {
    cells: Vec<char>,
    /// Combining characters, with the cell they belong to, in order.
    marks: Vec<(usize, char)>,
}

impl Row {
    fn put(&mut self, column: usize, c: char, width: usize) {
        self.blank(column, column + width);
        self.fill_to(column + width);
        for (offset, cell) in self.cells.iter_mut().skip(column).take(width).enumerate() {
            *cell = if offset == 0 { c } else { CONTINUED };
        }
    }

    fn fill_to(&mut self, length: usize) {
        if self.cells.len() < length {
            self.cells.resize(length, ' ');
        }
    }

    /// Makes cells blank, and those whose other half they are.
    fn blank(&mut self, from: usize, to: usize) {
        let to = to.min(self.cells.len());
        if from >= to {
            return;
        }
        for (half, other) in [(from, from.saturating_sub(1)), (to, to)] {
            if self.cells.get(half) == Some(&CONTINUED)
                && let Some(cell) = self.cells.get_mut(other)
            {
                *cell = ' ';
            }
        }
        if let Some(cells) = self.cells.get_mut(from..to) {
            cells.fill(' ');
        }
        self.marks.retain(|(cell, _)| !(from..to).contains(cell));
    }

    fn truncate(&mut self, column: usize) {
        self.blank(column, self.cells.len());
        self.cells.truncate(column);
    }

    fn insert(&mut self, column: usize, count: usize) {
        if column < self.cells.len() {
            self.blank(column, column);
            let moved = self.cells.split_off(column);
            self.cells.resize(column + count, ' ');
            self.cells.extend(moved);
            for (cell, _) in &mut self.marks {
                if *cell >= column {
                    *cell += count;
                }
            }
        }
    }

    fn delete(&mut self, column: usize, count: usize) {
        let end = (column + count).min(self.cells.len());
        if column < end {
            self.blank(column, end);
            self.cells.drain(column..end);
            for (cell, _) in &mut self.marks {
                if *cell >= end {
                    *cell -= end - column;
                }
            }
        }
    }

    fn is_blank(&self) -> bool {
        self.cells.iter().all(|c| *c == ' ')
    }

    /// Appends the line's text without blanks at its end.
    fn push_text(&self, text: &mut String) {
        let start = text.len();
        let mut marks = self.marks.iter().peekable();
        for (index, c) in self.cells.iter().enumerate() {
            if *c != CONTINUED {
                text.push(*c);
            }
            while let Some((_, mark)) = marks.next_if(|(cell, _)| *cell <= index) {
                text.push(*mark);
            }
        }
        let kept = text
            .get(start..)
            .map_or(0, |line| line.trim_end_matches(' ').len());
        text.truncate(start + kept);
    }
}

/// Rows with a cursor, and the text of those that scrolled off.
#[derive(Debug, Clone)]
pub(crate) struct Grid {
    scrolled: String,
    rows: VecDeque<Row>,
    pub(crate) row: usize,
    pub(crate) column: usize,
    /// First and last row that scroll.
    region: (usize, usize),
    saved: (usize, usize),
}

impl Grid {
    pub(crate) fn new() -> Self {
        Self {
            scrolled: String::new(),
            rows: VecDeque::from([Row::default()]),
            row: 0,
            column: 0,
            region: (0, ROWS - 1),
            saved: (0, 0),
        }
    }

    fn current(&mut self) -> Option<&mut Row> {
        while self.rows.len() <= self.row {
            self.rows.push_back(Row::default());
        }
        self.rows.get_mut(self.row)
    }

    pub(crate) fn print(&mut self, c: char, width: usize) {
        let column = self.column;
        if let Some(row) = self.current() {
            if width == 0 {
                if let Some(cell) = column.checked_sub(1) {
                    row.fill_to(column);
                    row.marks.push((cell, c));
                }
            } else {
                row.put(column, c, width);
            }
        }
        self.column += width;
    }

    /// Moves the cursor, within the screen.
    pub(crate) fn go(&mut self, row: usize, column: usize) {
        self.row = row.min(ROWS - 1);
        // A line that is already longer than the screen is no reason to jump back.
        self.column = column.min(self.column.max(COLUMNS - 1));
    }

    pub(crate) fn tab(&mut self) {
        let next = (self.column / 8 + 1) * 8;
        self.column = next;
    }

    /// One line down, scrolling at the end of the region.
    pub(crate) fn line_feed(&mut self) {
        if self.row == self.region.1 {
            self.scroll_up(1);
        } else {
            self.row = (self.row + 1).min(ROWS - 1);
        }
    }

    /// One line up, scrolling at the start of the region.
    pub(crate) fn reverse_line_feed(&mut self) {
        if self.row == self.region.0 {
            self.scroll_down(1);
        } else {
            self.row = self.row.saturating_sub(1);
        }
    }

    fn fill_region(&mut self) {
        while self.rows.len() <= self.region.1 {
            self.rows.push_back(Row::default());
        }
    }

    pub(crate) fn scroll_up(&mut self, count: usize) {
        self.fill_region();
        for _ in 0..count.min(ROWS) {
            if let Some(row) = self.rows.remove(self.region.0)
                && self.region.0 == 0
            {
                row.push_text(&mut self.scrolled);
                self.scrolled.push('\n');
            }
            self.rows.insert(self.region.1, Row::default());
        }
    }

    pub(crate) fn scroll_down(&mut self, count: usize) {
        self.fill_region();
        for _ in 0..count.min(ROWS) {
            self.rows.remove(self.region.1);
            self.rows.insert(self.region.0, Row::default());
        }
    }

    /// Inserts or deletes lines at the cursor, within the region.
    pub(crate) fn insert_lines(&mut self, count: usize) {
        if (self.region.0..=self.region.1).contains(&self.row) {
            let region = self.region;
            self.region.0 = self.row;
            self.scroll_down(count);
            self.region = region;
        }
    }

    pub(crate) fn delete_lines(&mut self, count: usize) {
        if !(self.region.0..=self.region.1).contains(&self.row) {
            return;
        }
        self.fill_region();
        for _ in 0..count.min(ROWS) {
            self.rows.remove(self.row);
            self.rows.insert(self.region.1, Row::default());
        }
    }

    pub(crate) fn set_region(&mut self, top: usize, bottom: usize) {
        if top < bottom && bottom < ROWS {
            self.region = (top, bottom);
            self.go(0, 0);
            self.column = 0;
        }
    }

    pub(crate) fn insert_blanks(&mut self, count: usize) {
        let column = self.column;
        if let Some(row) = self.current() {
            row.insert(column, count.min(COLUMNS));
        }
    }

    pub(crate) fn delete_characters(&mut self, count: usize) {
        let column = self.column;
        if let Some(row) = self.current() {
            row.delete(column, count);
        }
    }

    pub(crate) fn erase_characters(&mut self, count: usize) {
        let column = self.column;
        if let Some(row) = self.current() {
            row.blank(column, column.saturating_add(count));
        }
    }

    /// Erases in the line: 0 from the cursor, 1 up to it, 2 all.
    pub(crate) fn erase_line(&mut self, what: u16) {
        let column = self.column;
        if let Some(row) = self.current() {
            match what {
                0 => row.truncate(column),
                1 => row.blank(0, column + 1),
                2 => row.truncate(0),
                _ => {}
            }
        }
    }

    /// Erases below the cursor.
    pub(crate) fn erase_below(&mut self) {
        self.erase_line(0);
        self.rows.truncate(self.row + 1);
    }

    /// Erases above the cursor.
    pub(crate) fn erase_above(&mut self) {
        self.erase_line(1);
        for row in self.rows.iter_mut().take(self.row) {
            *row = Row::default();
        }
    }

    /// Erases the screen; what was on it counts as scrolled off, as terminals with a history do.
    pub(crate) fn erase_screen(&mut self) {
        let used = self
            .rows
            .iter()
            .rposition(|row| !row.is_blank())
            .map_or(0, |last| last + 1);
        for row in self.rows.drain(..).take(used) {
            row.push_text(&mut self.scrolled);
            self.scrolled.push('\n');
        }
    }

    /// Forgets what scrolled off.
    pub(crate) fn forget(&mut self) {
        self.scrolled = String::new();
    }

    pub(crate) fn save_cursor(&mut self) {
        self.saved = (self.row, self.column);
    }

    pub(crate) fn restore_cursor(&mut self) {
        (self.row, self.column) = self.saved;
    }

    pub(crate) fn into_text(self) -> String {
        let mut text = self.scrolled;
        for row in &self.rows {
            row.push_text(&mut text);
            text.push('\n');
        }
        text.truncate(text.trim_end_matches('\n').len());
        text
    }
}

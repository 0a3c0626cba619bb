//! Control characters and escape sequences, applied to a grid.

use unicode_width::UnicodeWidthChar as _;
use vte::{Params, Perform};

use super::grid::{Grid, ROWS};

/// Repetitions of one character that a single sequence may ask for.
const MAX_REPEAT: usize = 1 << 12;

/// A terminal: its screen, and the alternate one that full-screen programs use.
#[derive(Debug)]
pub(crate) struct Interpreter {
    grid: Grid,
    /// The main screen, while the alternate one shows.
    main: Option<Grid>,
    cleared: bool,
    /// Whether letters stand for lines and corners.
    line_drawing: bool,
    last: Option<char>,
}

impl Interpreter {
    pub(crate) fn new(grid: Grid) -> Self {
        Self {
            grid,
            main: None,
            cleared: false,
            line_drawing: false,
            last: None,
        }
    }

    pub(crate) fn into_text(self) -> (String, bool) {
        (self.grid.into_text(), self.cleared)
    }

    fn set_private_mode(&mut self, mode: u16, on: bool) {
        if !matches!(mode, 47 | 1047 | 1049) {
            return;
        }
        match (on, self.main.take()) {
            (true, None) => self.main = Some(std::mem::replace(&mut self.grid, Grid::new())),
            (true, main @ Some(_)) => self.main = main,
            (false, Some(main)) => self.grid = main,
            (false, None) => {}
        }
    }

    fn erase_display(&mut self, what: u16) {
        match what {
            0 => self.grid.erase_below(),
            1 => self.grid.erase_above(),
            2 if self.main.is_some() => {
                self.grid.erase_screen();
                self.grid.forget();
            }
            2 => self.grid.erase_screen(),
            3 => {
                self.grid.forget();
                self.cleared |= self.main.is_none();
            }
            _ => {}
        }
    }

    fn move_cursor(&mut self, action: char, count: usize) {
        let (row, column) = (self.grid.row, self.grid.column);
        match action {
            'A' => self.grid.go(row.saturating_sub(count), column),
            'B' | 'e' => self.grid.go(row.saturating_add(count), column),
            'C' | 'a' => self.grid.go(row, column.saturating_add(count)),
            'D' => self.grid.go(row, column.saturating_sub(count)),
            'E' => self.grid.go(row.saturating_add(count), 0),
            'F' => self.grid.go(row.saturating_sub(count), 0),
            'G' | '`' => self.grid.go(row, count - 1),
            'd' => self.grid.go(count - 1, column),
            _ => {}
        }
    }

    fn repeat(&mut self, count: usize) {
        if let Some(last) = self.last {
            for _ in 0..count.min(MAX_REPEAT) {
                self.print(last);
            }
        }
    }
}

impl Perform for Interpreter {
    fn print(&mut self, c: char) {
        let c = if self.line_drawing { drawn(c) } else { c };
        if let Some(width) = c.width() {
            self.grid.print(c, width);
            self.last = Some(c);
        }
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            0x08 => self.grid.column = self.grid.column.saturating_sub(1),
            b'\t' => self.grid.tab(),
            b'\n' | 0x0b | 0x0c => self.grid.line_feed(),
            b'\r' => self.grid.column = 0,
            0x0e => self.line_drawing = true,
            0x0f => self.line_drawing = false,
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], _ignore: bool, action: char) {
        let mut numbers = params
            .iter()
            .map(|param| param.first().copied().unwrap_or(0));
        if intermediates == b"?" {
            if matches!(action, 'h' | 'l') {
                numbers.for_each(|mode| self.set_private_mode(mode, action == 'h'));
            } else if action == 'J' {
                self.erase_display(numbers.next().unwrap_or(0));
            }
            return;
        }
        if !intermediates.is_empty() {
            return;
        }
        let first = numbers.next().unwrap_or(0);
        let second = numbers.next().unwrap_or(0);
        let count = usize::from(first.max(1));
        match action {
            'A'..='G' | '`' | 'a' | 'd' | 'e' => self.move_cursor(action, count),
            'H' | 'f' => self.grid.go(count - 1, usize::from(second.max(1)) - 1),
            'J' => self.erase_display(first),
            'K' => self.grid.erase_line(first),
            'L' => self.grid.insert_lines(count),
            'M' => self.grid.delete_lines(count),
            'P' => self.grid.delete_characters(count),
            'X' => self.grid.erase_characters(count),
            '@' => self.grid.insert_blanks(count),
            'S' => self.grid.scroll_up(count),
            'T' => self.grid.scroll_down(count),
            'b' => self.repeat(count),
            'r' => {
                let bottom = if second == 0 {
                    ROWS
                } else {
                    usize::from(second)
                };
                self.grid.set_region(count - 1, bottom - 1);
            }
            's' => self.grid.save_cursor(),
            'u' => self.grid.restore_cursor(),
            _ => {}
        }
    }

    fn esc_dispatch(&mut self, intermediates: &[u8], _ignore: bool, byte: u8) {
        match (intermediates, byte) {
            (b"(", charset) => self.line_drawing = charset == b'0',
            (b"", b'7') => self.grid.save_cursor(),
            (b"", b'8') => self.grid.restore_cursor(),
            (b"", b'D') => self.grid.line_feed(),
            (b"", b'M') => self.grid.reverse_line_feed(),
            (b"", b'E') => {
                self.grid.column = 0;
                self.grid.line_feed();
            }
            (b"", b'c') => {
                self.grid = Grid::new();
                self.main = None;
                self.line_drawing = false;
                self.cleared = true;
            }
            _ => {}
        }
    }
}

/// The line-drawing character that stands at a letter's place.
fn drawn(c: char) -> char {
    match c {
        'j' => '┘',
        'k' => '┐',
        'l' => '┌',
        'm' => '└',
        'n' => '┼',
        'q' => '─',
        't' => '├',
        'u' => '┤',
        'v' => '┴',
        'w' => '┬',
        'x' => '│',
        'a' => '▒',
        '`' => '◆',
        '~' => '·',
        'f' => '°',
        'g' => '±',
        other => other,
    }
}

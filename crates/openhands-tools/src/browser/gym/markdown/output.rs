//! Where the text goes: breaks and blanks are held back until words need them.

use crate::browser::gym::python::{self, is_space};

/// How a piece of text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// A mark of Markdown.
    Mark,
    /// Words of the page: blanks run together.
    Words,
    /// A mark that is written even when it is empty.
    Forced,
    /// The last thing.
    End,
}

#[derive(Debug, Default)]
pub(super) struct Output {
    /// What was written, in the pieces it came in.
    pub(super) pieces: Vec<String>,
    /// Depth of what is not shown.
    pub(super) quiet: i64,
    /// Breaks before the next words.
    pub(super) breaks: usize,
    /// Nothing was written since the start, or since the start of an item: no break and no blank is due.
    pub(super) fresh: bool,
    /// A blank is due.
    pub(super) space: bool,
    pub(super) quote_depth: i64,
    pub(super) in_pre: bool,
    pub(super) pre_starts: bool,
    /// Inside of a list, and what its code is indented by.
    pub(super) in_list: bool,
    pub(super) list_indent: String,
    /// Written before the next break: two blanks make it one that shows.
    pub(super) break_mark: &'static str,
    /// What an abbreviation stands in for, while it is read.
    pub(super) abbreviation: Option<String>,
    /// Abbreviations and their meanings, for the end.
    pub(super) abbreviations: Vec<(String, String)>,
    ends_in_break: bool,
}

impl Output {
    /// With nothing written.
    pub(super) fn new() -> Self {
        Self {
            fresh: true,
            ..Self::default()
        }
    }

    fn out(&mut self, text: String) {
        if let Some(last) = text.chars().next_back() {
            self.ends_in_break = last == '\n';
        }
        self.pieces.push(text);
    }

    /// At least one break.
    pub(super) fn line_break(&mut self) {
        if self.breaks == 0 {
            self.breaks = 1;
        }
    }

    pub(super) fn paragraph(&mut self) {
        self.breaks = 2;
    }

    /// A break that shows inside of a paragraph.
    pub(super) fn row_break(&mut self) {
        self.line_break();
        self.break_mark = "  ";
    }

    pub(super) fn mark(&mut self, text: &str) {
        self.write(text, How::Mark);
    }

    pub(super) fn write(&mut self, text: &str, how: How) {
        if let Some(abbreviation) = &mut self.abbreviation {
            abbreviation.push_str(text);
        }
        if self.quiet != 0 {
            return;
        }
        let mut text = text.to_owned();
        if how == How::Words && !self.in_pre {
            text = single_blanks(&text);
            if text.starts_with(' ') {
                self.space = true;
                text.remove(0);
            }
        }
        let forced = matches!(how, How::Forced | How::End);
        if text.is_empty() && !forced {
            return;
        }
        if self.pre_starts && !text.starts_with('\n') && !text.starts_with("\r\n") {
            text.insert(0, '\n');
        }
        let margin = self.margin(forced && text.starts_with('>'));
        if self.in_pre {
            text = text.replace('\n', &format!("\n{margin}"));
        }
        if self.pre_starts {
            self.pre_starts = false;
            if self.in_list {
                let kept = text
                    .trim_start_matches(|c| c == '\n' || margin.contains(c))
                    .len();
                text = text.split_off(text.len() - kept);
            }
        }
        self.settle(&margin, how);
        self.breaks = 0;
        self.out(text);
    }

    /// What every line of a quote or of code begins with.
    fn margin(&self, is_quote_mark: bool) -> String {
        let mut margin = ">".repeat(usize::try_from(self.quote_depth).unwrap_or(0));
        if !is_quote_mark && self.quote_depth != 0 {
            margin.push(' ');
        }
        if self.in_pre {
            if self.in_list {
                margin.push_str(&self.list_indent);
            }
            margin.push_str("    ");
        }
        margin
    }

    /// Writes what was held back.
    fn settle(&mut self, margin: &str, how: How) {
        if self.fresh {
            self.space = false;
            self.breaks = 0;
            self.fresh = false;
        }
        if how == How::End {
            self.breaks = 0;
            self.out("\n".to_owned());
            self.space = false;
        }
        if self.breaks > 0 {
            self.out(format!("{}\n{margin}", self.break_mark).repeat(self.breaks));
            self.space = false;
            self.break_mark = "";
        }
        if self.space {
            if !self.ends_in_break {
                self.out(" ".to_owned());
            }
            self.space = false;
        }
        if how == How::End {
            for (short, meaning) in std::mem::take(&mut self.abbreviations) {
                self.out(format!("  *[{short}]: {meaning}\n"));
            }
        }
    }
}

/// Every run of blanks as one.
fn single_blanks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut after_blank = false;
    for character in text.chars() {
        let blank = is_space(character);
        if !blank {
            out.push(character);
        } else if !after_blank {
            out.push(' ');
        }
        after_blank = blank;
    }
    out
}

/// Without the blanks around it.
pub(super) fn stripped(text: &str) -> String {
    python::strip(text).to_owned()
}

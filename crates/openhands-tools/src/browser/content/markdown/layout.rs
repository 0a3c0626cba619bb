//! Blocks of Markdown below each other, with what stands before their lines in lists and quotes.

/// A text that grows by blocks.
#[derive(Debug, Default)]
pub(super) struct Layout {
    out: String,
    prefixes: Vec<Prefix>,
    /// Line ends wanted before the next block.
    gap: usize,
}

#[derive(Debug)]
struct Prefix {
    /// What stands before the first line, until it is written.
    first: Option<String>,
    /// What stands before every other line.
    rest: String,
}

impl Layout {
    /// At least this many line ends come before the next block; the first block of an item follows its marker at once.
    pub(super) fn gap(&mut self, lines: usize) {
        if self
            .prefixes
            .last()
            .is_none_or(|prefix| prefix.first.is_none())
        {
            self.gap = self.gap.max(lines);
        }
    }

    /// Every line until the end of the prefix gets something before it.
    pub(super) fn prefix(&mut self, first: &str, rest: &str) {
        self.prefixes.push(Prefix {
            first: Some(first.to_owned()),
            rest: rest.to_owned(),
        });
    }

    /// Ends the innermost prefix.
    pub(super) fn end_prefix(&mut self) {
        self.prefixes.pop();
    }

    /// Writes a block, unless it is empty.
    pub(super) fn block(&mut self, before: &str, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let mut lines = text.split('\n');
        let first = lines.next().unwrap_or_default();
        self.open();
        self.line(&format!("{before}{first}"));
        for line in lines {
            self.next_line();
            self.line(line);
        }
    }

    /// Writes several lines as one block.
    pub(super) fn lines(&mut self, lines: &[String]) {
        self.block("", &lines.join("\n"));
    }

    /// Writes a block of code with a fence that its text does not have.
    pub(super) fn code(&mut self, code: &str) {
        let code = code.trim_matches('\n');
        if code.trim().is_empty() {
            return;
        }
        let mut fence = "```".to_owned();
        while code.contains(&fence) {
            fence.push('`');
        }
        self.block("", &format!("{fence}\n{code}\n{fence}"));
    }

    /// The whole text.
    pub(super) fn finish(self) -> String {
        self.out
    }

    /// The space before a block.
    fn open(&mut self) {
        let gap = if self.out.is_empty() {
            0
        } else {
            self.gap.max(1)
        };
        for number in 0..gap {
            self.out.push('\n');
            if number + 1 < gap {
                self.empty_line();
            }
        }
        self.gap = 0;
    }

    fn next_line(&mut self) {
        self.out.push('\n');
    }

    /// Between two blocks of one quote the quote goes on.
    fn empty_line(&mut self) {
        let before: String = self
            .prefixes
            .iter()
            .take_while(|prefix| prefix.first.is_none())
            .map(|prefix| prefix.rest.as_str())
            .collect();
        self.out.push_str(before.trim_end());
    }

    fn line(&mut self, text: &str) {
        for prefix in &mut self.prefixes {
            match prefix.first.take() {
                Some(first) => self.out.push_str(&first),
                None => self.out.push_str(&prefix.rest),
            }
        }
        self.out.push_str(text.trim_end());
    }
}

//! The running text of one block: spaces squeezed, marks around its parts.

/// Text under construction.
#[derive(Debug, Default)]
pub(super) struct Inline {
    text: String,
    marks: Vec<Mark>,
}

#[derive(Debug)]
struct Mark {
    /// Where the marked text begins.
    start: usize,
    before: String,
    after: String,
    /// A mark around several blocks stands only around the first.
    spent: bool,
}

impl Inline {
    /// Adds text of the page: all space in it counts as one space.
    pub(super) fn text(&mut self, text: &str) {
        for character in text.chars() {
            if is_space(character) {
                if !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
                    self.text.push(' ');
                }
            } else {
                self.text.push(character);
            }
        }
    }

    /// Adds text as it is.
    pub(super) fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Begins a new line in the block.
    pub(super) fn line_break(&mut self) {
        if !self.text.is_empty() {
            self.trim_space_at_end();
            self.text.push('\n');
        }
    }

    /// From here to the matching end, the text stands between two marks.
    pub(super) fn mark(&mut self, before: &str, after: &str) {
        self.marks.push(Mark {
            start: self.text.len(),
            before: before.to_owned(),
            after: after.to_owned(),
            spent: false,
        });
    }

    /// Ends the innermost mark.
    pub(super) fn end_mark(&mut self) {
        if let Some(mark) = self.marks.pop() {
            self.wrap(&mark);
        }
    }

    /// The text so far. Open marks end with it.
    pub(super) fn take(&mut self) -> String {
        let mut marks = std::mem::take(&mut self.marks);
        for mark in marks.iter_mut().rev() {
            mark.spent |= self.wrap(mark);
            mark.start = 0;
        }
        self.marks = marks;
        std::mem::take(&mut self.text).trim().to_owned()
    }

    /// Puts a mark around the text that it began at; says whether there was any.
    fn wrap(&mut self, mark: &Mark) -> bool {
        if mark.spent {
            return false;
        }
        let start = mark.start.min(self.text.len());
        let inner = self.text.split_off(start);
        let core = inner.trim();
        if core.is_empty() {
            self.text.push_str(&inner);
            return false;
        }
        let lead = inner.len() - inner.trim_start().len();
        let trail = inner.trim_end().len();
        self.text.push_str(inner.get(..lead).unwrap_or_default());
        self.text.push_str(&mark.before);
        self.text.push_str(core);
        self.text.push_str(&mark.after);
        self.text.push_str(inner.get(trail..).unwrap_or_default());
        true
    }

    fn trim_space_at_end(&mut self) {
        while self.text.ends_with(' ') {
            self.text.pop();
        }
    }
}

/// The characters that HTML squeezes; a no-break space is squeezed too, since it only arranges.
fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\n' | '\t' | '\r' | '\u{c}' | '\u{a0}')
}

//! A place in a text that moves forward.

pub(super) struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn is_done(&self) -> bool {
        self.at >= self.text.len()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The byte `ahead` of the place.
    pub(super) fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// Moves on by bytes; the caller has seen that a character ends there.
    pub(super) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    pub(super) fn starts_with(&self, start: &str) -> bool {
        self.rest().starts_with(start)
    }

    pub(super) fn eat(&mut self, start: &str) -> bool {
        let found = self.starts_with(start);
        if found {
            self.at += start.len();
        }
        found
    }

    /// All characters up to the first one that does not fit.
    pub(super) fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest
            .find(|character| !fits(character))
            .unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    /// All up to `mark`, which is passed too; without one, all that is left.
    pub(super) fn take_past(&mut self, mark: &str) -> &'a str {
        let rest = self.rest();
        let end = rest.find(mark);
        self.at += end.map_or(rest.len(), |end| end + mark.len());
        end.and_then(|end| rest.get(..end)).unwrap_or(rest)
    }

    pub(super) fn skip_blanks(&mut self) {
        self.take_while(is_blank);
    }
}

pub(super) fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r')
}

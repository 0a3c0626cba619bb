//! Where JSON text goes wrong, in the words of the reference's parser.

/// What is wrong, and at which character. None if nothing is that this parser would refuse.
pub(crate) fn json_error(text: &str) -> Option<(usize, &'static str)> {
    let chars: Vec<char> = text.chars().collect();
    let mut scanner = Scanner { chars, at: 0 };
    scanner.space();
    scanner.value(0).err().or_else(|| {
        scanner.space();
        (scanner.at < scanner.chars.len()).then_some((scanner.at, "Extra data"))
    })
}

const EXPECTING_VALUE: &str = "Expecting value";
const EXPECTING_NAME: &str = "Expecting property name enclosed in double quotes";
const EXPECTING_COLON: &str = "Expecting ':' delimiter";
const EXPECTING_COMMA: &str = "Expecting ',' delimiter";
const UNTERMINATED: &str = "Unterminated string starting at";
const CONTROL: &str = "Invalid control character at";
const ESCAPE: &str = "Invalid \\escape";
const UNICODE_ESCAPE: &str = "Invalid \\uXXXX escape";
const TOO_DEEP: &str = "Too deeply nested";

/// As deep as the parser goes that reads what is right.
const MAX_DEPTH: usize = 127;

type Wrong = (usize, &'static str);

struct Scanner {
    chars: Vec<char>,
    at: usize,
}

impl Scanner {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Result<(), Wrong> {
        if depth > MAX_DEPTH {
            return Err((self.at, TOO_DEEP));
        }
        match self.peek() {
            Some('"') => self.string(),
            Some('{') => self.object(depth),
            Some('[') => self.list(depth),
            Some('-' | '0'..='9') => self.number(),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Result<(), Wrong> {
        for word in ["true", "false", "null"] {
            let rest = self.chars.get(self.at..).unwrap_or_default();
            if rest.iter().copied().take(word.len()).eq(word.chars()) {
                self.at += word.len();
                return Ok(());
            }
        }
        Err((self.at, EXPECTING_VALUE))
    }

    fn digits(&mut self) -> bool {
        let start = self.at;
        while matches!(self.peek(), Some('0'..='9')) {
            self.at += 1;
        }
        self.at > start
    }

    /// A number goes as far as it is one; what follows is wrong in its place.
    fn number(&mut self) -> Result<(), Wrong> {
        let start = self.at;
        self.take('-');
        if !self.take('0') && !self.digits() {
            return Err((start, EXPECTING_VALUE));
        }
        let whole = self.at;
        if self.take('.') && !self.digits() {
            self.at = whole;
            return Ok(());
        }
        let plain = self.at;
        if self.take('e') || self.take('E') {
            let _sign = self.take('+') || self.take('-');
            if !self.digits() {
                self.at = plain;
            }
        }
        Ok(())
    }

    fn string(&mut self) -> Result<(), Wrong> {
        let start = self.at;
        self.at += 1;
        loop {
            let place = self.at;
            let Some(next) = self.peek() else {
                return Err((start, UNTERMINATED));
            };
            self.at += 1;
            match next {
                '"' => return Ok(()),
                '\\' => self.escape(start, place)?,
                '\u{0}'..='\u{1f}' => return Err((place, CONTROL)),
                _ => {}
            }
        }
    }

    fn escape(&mut self, start: usize, place: usize) -> Result<(), Wrong> {
        let next = self.peek().ok_or((start, UNTERMINATED))?;
        self.at += 1;
        match next {
            '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => Ok(()),
            'u' => {
                let digits = self.chars.get(self.at..self.at + 4);
                if digits.is_some_and(|digits| digits.iter().all(char::is_ascii_hexdigit)) {
                    self.at += 4;
                    Ok(())
                } else {
                    Err((place + 1, UNICODE_ESCAPE))
                }
            }
            _ => Err((place, ESCAPE)),
        }
    }

    fn list(&mut self, depth: usize) -> Result<(), Wrong> {
        self.at += 1;
        self.space();
        if self.take(']') {
            return Ok(());
        }
        loop {
            self.space();
            self.value(depth + 1)?;
            self.space();
            if self.take(']') {
                return Ok(());
            }
            if !self.take(',') {
                return Err((self.at, EXPECTING_COMMA));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<(), Wrong> {
        self.at += 1;
        self.space();
        if self.take('}') {
            return Ok(());
        }
        loop {
            self.space();
            if self.peek() != Some('"') {
                return Err((self.at, EXPECTING_NAME));
            }
            self.string()?;
            self.space();
            if !self.take(':') {
                return Err((self.at, EXPECTING_COLON));
            }
            self.space();
            self.value(depth + 1)?;
            self.space();
            if self.take('}') {
                return Ok(());
            }
            if !self.take(',') {
                return Err((self.at, EXPECTING_COMMA));
            }
        }
    }
}

#[cfg(test)]
#[path = "json_error_tests.rs"]
mod tests;

//! String literals: where one ends, and what it says.

use super::mistake::{Exception, Mistake};

/// The text of the literal at the beginning of `source` and how many characters it takes, if there is one.
///
/// Of all forms that fit the longest counts, so that `''''''` is one empty string and not three.
pub(super) fn literal(source: &[char]) -> Option<Result<(String, usize), Mistake>> {
    let quote = *source.first().filter(|first| matches!(first, '"' | '\''))?;
    let (quotes, end) = if let Some(end) = triple(source, quote) {
        (3, end)
    } else {
        (1, single(source, quote)?)
    };
    let content = source.get(quotes..end - quotes)?;
    Some(unescape(content).map(|text| (text, end)))
}

/// Where a literal in three quotes ends.
///
/// compat: a backslash at the end of a line is not taken, though Python would.
fn triple(source: &[char], quote: char) -> Option<usize> {
    let is_quote = |at: usize| source.get(at) == Some(&quote);
    let is_fence = |at: usize| is_quote(at) && is_quote(at + 1) && is_quote(at + 2);
    if !is_fence(0) {
        return None;
    }
    let mut at = 3;
    loop {
        match source.get(at)? {
            '\\' => match source.get(at + 1)? {
                '\n' => return None,
                _ => at += 2,
            },
            _ if is_fence(at) => return Some(at + 3),
            _ => at += 1,
        }
    }
}

/// Where a literal in plain quotes ends.
fn single(source: &[char], quote: char) -> Option<usize> {
    let mut at = 1;
    loop {
        match source.get(at)? {
            character if *character == quote => return Some(at + 1),
            '\n' | '\r' => return None,
            '\\' if source.get(at + 1)? == &'x' => {
                let digits = source.get(at + 2..)?;
                let digits = digits.iter().take_while(|digit| digit.is_ascii_hexdigit());
                match digits.count() {
                    0 => return None,
                    digits => at += 2 + digits,
                }
            }
            '\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// What stands between the quotes, with its escapes read.
fn unescape(content: &[char]) -> Result<String, Mistake> {
    if content.contains(&'\0') {
        return Err(Mistake::new(
            Exception::SyntaxError,
            "source code string cannot contain null bytes",
        ));
    }
    let mut reader = Reader {
        rest: content,
        position: 0,
        units: Vec::with_capacity(content.len()),
    };
    while let Some((first, rest)) = reader.rest.split_first() {
        reader.rest = rest;
        match first {
            '\\' => reader.escape()?,
            '\r' => {
                // Python reads its sources with plain line breaks.
                reader.skip('\n');
                reader.push('\n', 1);
            }
            other => reader.push(*other, width(*other)),
        }
    }
    // Halves of a pair that were written as two escapes make one character.
    Ok(String::from_utf16_lossy(&reader.units))
}

/// How far a character moves the positions in Python's messages, which count a form with all but ASCII escaped.
fn width(character: char) -> usize {
    if character.is_ascii() { 1 } else { 10 }
}

struct Reader<'a> {
    rest: &'a [char],
    position: usize,
    units: Vec<u16>,
}

impl<'a> Reader<'a> {
    fn push(&mut self, character: char, width: usize) {
        self.units
            .extend_from_slice(character.encode_utf16(&mut [0; 2]));
        self.position += width;
    }

    fn skip(&mut self, expected: char) {
        if let Some((first, rest)) = self.rest.split_first()
            && *first == expected
        {
            self.rest = rest;
        }
    }

    /// Takes what follows a backslash.
    fn escape(&mut self) -> Result<(), Mistake> {
        let Some((kind, rest)) = self.rest.split_first() else {
            self.push('\\', 1);
            return Ok(());
        };
        let whole = self.rest;
        self.rest = rest;
        let simple = match kind {
            '\\' | '\'' | '"' => *kind,
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            '\n' => {
                self.position += 2;
                return Ok(());
            }
            '\r' => {
                self.skip('\n');
                self.position += 2;
                return Ok(());
            }
            '0'..='7' => return self.octal(whole),
            'x' => return self.hexadecimal(2, "\\xXX"),
            'u' => return self.hexadecimal(4, "\\uXXXX"),
            'U' => return self.hexadecimal(8, "\\UXXXXXXXX"),
            'N' => return self.named(),
            other => {
                self.push('\\', 1);
                self.push(*other, width(*other));
                return Ok(());
            }
        };
        self.push(simple, 2);
        Ok(())
    }

    /// Takes up to three octal digits.
    fn octal(&mut self, digits: &'a [char]) -> Result<(), Mistake> {
        let value = digits.iter().map_while(|digit| digit.to_digit(8)).take(3);
        let (value, count) = value.fold((0, 0), |(value, count), digit| {
            (value * 8 + digit, count + 1)
        });
        self.rest = digits.get(count..).unwrap_or_default();
        self.code(value, count + 1)
    }

    fn hexadecimal(&mut self, digits: usize, form: &str) -> Result<(), Mistake> {
        let (value, count) = self
            .rest
            .iter()
            .map_while(|digit| digit.to_digit(16))
            .take(digits)
            .fold((0_u32, 0), |(value, count), digit| {
                (value << 4 | digit, count + 1)
            });
        if count < digits {
            return Err(self.mistake(1 + count, &format!("truncated {form} escape")));
        }
        self.rest = self.rest.get(digits..).unwrap_or_default();
        self.code(value, digits + 2)
    }

    /// Takes a character by its number, which may be half of a pair.
    fn code(&mut self, value: u32, width: usize) -> Result<(), Mistake> {
        if let Some(character) = char::from_u32(value) {
            self.push(character, width);
        } else if let Ok(half) = u16::try_from(value) {
            self.units.push(half);
            self.position += width;
        } else {
            return Err(self.mistake(width - 1, "illegal Unicode character"));
        }
        Ok(())
    }

    /// Takes `{NAME}`.
    fn named(&mut self) -> Result<(), Mistake> {
        let malformed = "malformed \\N character escape";
        if self.rest.first() != Some(&'{') {
            return Err(self.mistake(1, malformed));
        }
        let Some(close) = self.rest.iter().position(|character| *character == '}') else {
            return Err(self.mistake(1 + self.rest.len(), malformed));
        };
        let name: String = self.rest.iter().take(close).skip(1).collect();
        if name.is_empty() {
            return Err(self.mistake(2, malformed));
        }
        let Some(character) = unicode_names2::character(&name) else {
            return Err(self.mistake(close + 2, "unknown Unicode character name"));
        };
        self.rest = self.rest.get(close + 1..).unwrap_or_default();
        self.push(character, close + 3);
        Ok(())
    }

    /// What Python says about an escape that ends `last` places after its backslash.
    fn mistake(&self, last: usize, what: &str) -> Mistake {
        let (from, to) = (self.position, self.position + last);
        Mistake::new(
            Exception::SyntaxError,
            format!(
                "(unicode error) 'unicodeescape' codec can't decode bytes in position {from}-{to}: {what} (<unknown>, line 1)"
            ),
        )
    }
}

//! Reading JSON that a model wrote: raw control characters in strings pass, errors read as Python's do.

use serde_json::{Map, Number, Value};
use std::fmt::Write as _;

/// How deep values may nest; as deep as `serde_json` goes.
const MAX_DEPTH: usize = 128;

/// Why a text is no JSON, in the words of Python's decoder: they are shown to the model, and clients look for them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}: line {line} column {column} (char {position})")]
pub struct JsonTextError {
    problem: &'static str,
    line: usize,
    column: usize,
    position: usize,
}

/// Reads a JSON text.
pub(super) fn read(text: &str) -> Result<Value, JsonTextError> {
    if let Ok(value) = serde_json::from_str(text) {
        return Ok(value);
    }
    let read = Reader::new(text, Controls::Allowed).whole();
    if read.is_ok() || !text.contains(is_control) {
        return read;
    }
    // compat: the reference escapes every control character, also those between values, and reports what is wrong
    // with that text.
    Reader::new(&escape_controls(text), Controls::Refused).whole()
}

fn is_control(character: char) -> bool {
    character < ' '
}

fn escape_controls(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            '\u{8}' => escaped.push_str("\\b"),
            '\u{c}' => escaped.push_str("\\f"),
            control if is_control(control) => {
                let _ = write!(escaped, "\\u{:04x}", u32::from(control));
            }
            other => escaped.push(other),
        }
    }
    escaped
}

/// Whether raw control characters may stand in strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Controls {
    Allowed,
    Refused,
}

struct Reader {
    characters: Vec<char>,
    position: usize,
    controls: Controls,
}

type Read<T> = Result<T, JsonTextError>;

impl Reader {
    fn new(text: &str, controls: Controls) -> Self {
        Self {
            characters: text.chars().collect(),
            position: 0,
            controls,
        }
    }

    fn whole(&mut self) -> Read<Value> {
        if self.peek() == Some('\u{feff}') {
            return Err(self.error_at(0, "Unexpected UTF-8 BOM (decode using utf-8-sig)"));
        }
        self.skip_blanks();
        let value = self.value(0)?;
        self.skip_blanks();
        if self.position < self.characters.len() {
            return Err(self.error_at(self.position, "Extra data"));
        }
        Ok(value)
    }

    fn value(&mut self, depth: usize) -> Read<Value> {
        let start = self.position;
        if depth > MAX_DEPTH {
            return Err(self.error_at(start, "Nested too deep"));
        }
        match self.peek() {
            Some('"') => {
                self.position += 1;
                Ok(Value::String(self.string(start)?))
            }
            Some('{') => self.object(depth),
            Some('[') => self.array(depth),
            _ => self.word(start),
        }
    }

    /// A literal or a number.
    fn word(&mut self, start: usize) -> Read<Value> {
        // JSON has no such numbers, though Python reads them; no tool could use them.
        for (word, value) in [
            ("null", Value::Null),
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
            ("NaN", Value::Null),
            ("Infinity", Value::Null),
            ("-Infinity", Value::Null),
        ] {
            if self
                .characters
                .get(start..)
                .is_some_and(|rest| starts_with(rest, word))
            {
                self.position += word.len();
                return Ok(value);
            }
        }
        self.number(start)
    }

    fn number(&mut self, start: usize) -> Read<Value> {
        let whole = start + usize::from(self.at(start) == Some('-'));
        let mut end = match self.at(whole) {
            Some('0') => whole + 1,
            _ => self.digits(whole),
        };
        if end == whole {
            return Err(self.error_at(start, "Expecting value"));
        }
        if self.at(end) == Some('.') {
            let fraction = self.digits(end + 1);
            if fraction > end + 1 {
                end = fraction;
            }
        }
        if matches!(self.at(end), Some('e' | 'E')) {
            let sign = usize::from(matches!(self.at(end + 1), Some('+' | '-')));
            let exponent = self.digits(end + 1 + sign);
            if exponent > end + 1 + sign {
                end = exponent;
            }
        }
        let text: String = self
            .characters
            .get(start..end)
            .unwrap_or_default()
            .iter()
            .collect();
        self.position = end;
        // Too large for a number: infinite in Python, and of no use.
        Ok(serde_json::from_str::<Number>(&text).map_or(Value::Null, Value::Number))
    }

    fn digits(&self, from: usize) -> usize {
        let mut end = from;
        while self
            .at(end)
            .is_some_and(|character| character.is_ascii_digit())
        {
            end += 1;
        }
        end
    }

    fn array(&mut self, depth: usize) -> Read<Value> {
        self.position += 1;
        let mut items = Vec::new();
        self.skip_blanks();
        if self.take(']') {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip_blanks();
            if self.take(']') {
                return Ok(Value::Array(items));
            }
            let comma = self.position;
            if !self.take(',') {
                return Err(self.error_at(comma, "Expecting ',' delimiter"));
            }
            self.skip_blanks();
            if self.peek() == Some(']') {
                return Err(self.error_at(comma, "Illegal trailing comma before end of array"));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Read<Value> {
        const NAME: &str = "Expecting property name enclosed in double quotes";
        self.position += 1;
        let mut members = Map::new();
        self.skip_blanks();
        if self.take('}') {
            return Ok(Value::Object(members));
        }
        if self.peek() != Some('"') {
            return Err(self.error_at(self.position, NAME));
        }
        loop {
            let start = self.position;
            self.position += 1;
            let name = self.string(start)?;
            self.skip_blanks();
            if !self.take(':') {
                return Err(self.error_at(self.position, "Expecting ':' delimiter"));
            }
            self.skip_blanks();
            let value = self.value(depth + 1)?;
            members.insert(name, value);
            self.skip_blanks();
            if self.take('}') {
                return Ok(Value::Object(members));
            }
            let comma = self.position;
            if !self.take(',') {
                return Err(self.error_at(comma, "Expecting ',' delimiter"));
            }
            self.skip_blanks();
            match self.peek() {
                Some('"') => {}
                Some('}') => {
                    return Err(self.error_at(comma, "Illegal trailing comma before end of object"));
                }
                _ => return Err(self.error_at(self.position, NAME)),
            }
        }
    }

    /// The rest of a string whose opening quote stands at `start`.
    fn string(&mut self, start: usize) -> Read<String> {
        let mut text = String::new();
        while let Some(character) = self.peek() {
            self.position += 1;
            match character {
                '"' => return Ok(text),
                '\\' => text.push(self.escape(start)?),
                control if is_control(control) && self.controls == Controls::Refused => {
                    return Err(self.error_at(self.position - 1, "Invalid control character at"));
                }
                other => text.push(other),
            }
        }
        Err(self.unterminated(start))
    }

    fn unterminated(&self, start: usize) -> JsonTextError {
        self.error_at(start, "Unterminated string starting at")
    }

    fn escape(&mut self, start: usize) -> Read<char> {
        let backslash = self.position - 1;
        let Some(letter) = self.peek() else {
            return Err(self.unterminated(start));
        };
        self.position += 1;
        Ok(match letter {
            '"' | '\\' | '/' => letter,
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => return self.unicode_escape(),
            _ => return Err(self.error_at(backslash, "Invalid \\escape")),
        })
    }

    /// `XXXX` after `\u`, joined with a second half where it is one of two.
    fn unicode_escape(&mut self) -> Read<char> {
        let unit = self.hex_unit()?;
        let has_second = self.peek() == Some('\\') && self.at(self.position + 1) == Some('u');
        if !(0xd800..0xdc00).contains(&unit) || !has_second {
            // Half a character stands for none.
            return Ok(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let before = self.position;
        self.position += 2;
        let low = self.hex_unit()?;
        if (0xdc00..0xe000).contains(&low) {
            let joined = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
            return Ok(char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        self.position = before;
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn hex_unit(&mut self) -> Read<u32> {
        let mut unit = 0;
        for offset in 0..4 {
            let digit = self
                .at(self.position + offset)
                .and_then(|digit| digit.to_digit(16));
            let Some(digit) = digit else {
                return Err(self.error_at(self.position - 1, "Invalid \\uXXXX escape"));
            };
            unit = unit * 16 + digit;
        }
        self.position += 4;
        Ok(unit)
    }

    fn at(&self, position: usize) -> Option<char> {
        self.characters.get(position).copied()
    }

    fn peek(&self) -> Option<char> {
        self.at(self.position)
    }

    fn take(&mut self, wanted: char) -> bool {
        let there = self.peek() == Some(wanted);
        self.position += usize::from(there);
        there
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.position += 1;
        }
    }

    fn error_at(&self, position: usize, problem: &'static str) -> JsonTextError {
        let before = self.characters.get(..position).unwrap_or(&self.characters);
        let line_start = before
            .iter()
            .rposition(|character| *character == '\n')
            .map_or(0, |at| at + 1);
        JsonTextError {
            problem,
            line: 1 + before
                .iter()
                .filter(|character| **character == '\n')
                .count(),
            column: before.len() - line_start + 1,
            position: before.len(),
        }
    }
}

fn starts_with(characters: &[char], word: &str) -> bool {
    let mut characters = characters.iter();
    word.chars()
        .all(|wanted| characters.next() == Some(&wanted))
}

#[cfg(test)]
#[path = "json_text_tests.rs"]
mod tests;

//! The engine behind a grep pattern: linear where possible, backtracking where the pattern needs it.

use std::borrow::Cow;
use std::fmt;

use grep_matcher::{Match, Matcher, NoCaptures};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use super::python_regex::{PatternError, translate};
use super::stop::{Stop, Stopped};

/// A pattern ready to run over the contents of files, always case-insensitive.
#[derive(Debug, Clone)]
pub(crate) struct ContentMatcher {
    pub(crate) engine: Engine,
    /// The whole file has to be seen at once, not line by line.
    pub(crate) spans_lines: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Engine {
    Linear(RegexMatcher),
    Backtracking(BacktrackingMatcher),
}

impl ContentMatcher {
    pub(crate) fn new(pattern: &str, stop: &Stop) -> Result<Self, PatternError> {
        let translated = translate(pattern)?;
        let engine = if translated.needs_backtracking {
            let source = format!("(?mi){}", translated.source);
            let regex =
                fancy_regex::Regex::new(&source).map_err(|e| PatternError::new(e.to_string()))?;
            Engine::Backtracking(BacktrackingMatcher {
                regex,
                stop: stop.clone(),
            })
        } else {
            let mut builder = RegexMatcherBuilder::new();
            builder.case_insensitive(true).multi_line(true);
            if !translated.spans_lines {
                // Lets the searcher look for the pattern in a whole buffer instead of in each line.
                builder.line_terminator(Some(b'\n'));
            }
            let regex = builder
                .build(&translated.source)
                .map_err(|e| PatternError::new(e.to_string()))?;
            Engine::Linear(regex)
        };
        Ok(Self {
            engine,
            spans_lines: translated.spans_lines,
        })
    }
}

/// A matcher with look-around and references. It can be slow on hostile input, so it also watches the clock.
#[derive(Clone)]
pub(crate) struct BacktrackingMatcher {
    regex: fancy_regex::Regex,
    stop: Stop,
}

impl fmt::Debug for BacktrackingMatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BacktrackingMatcher")
            .field(&self.regex.as_str())
            .finish()
    }
}

impl Matcher for BacktrackingMatcher {
    type Captures = NoCaptures;
    type Error = Stopped;

    fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, Stopped> {
        self.stop.check()?;
        let text = match std::str::from_utf8(haystack) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(haystack),
        };
        // Offsets in a repaired text would be wrong, but only whether there is a match is ever asked.
        let at = if text.is_char_boundary(at) {
            at
        } else {
            return Ok(None);
        };
        // A match that exceeds the step limit of the engine counts as none: the file cannot be decided.
        let found = self.regex.find_from_pos(&text, at).unwrap_or(None);
        Ok(found.map(|m| Match::new(m.start().min(haystack.len()), m.end().min(haystack.len()))))
    }

    fn new_captures(&self) -> Result<NoCaptures, Stopped> {
        Ok(NoCaptures::new())
    }
}

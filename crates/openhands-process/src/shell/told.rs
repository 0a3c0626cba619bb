//! What of a command's output was returned already, and what is new.

use super::capture::Captured;
use crate::screen;

/// Output of a command, as a terminal would show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// What was not returned before.
    pub text: String,
    /// How often output of this command was returned before.
    pub earlier: u32,
    /// Whether any of what was returned before had text.
    pub earlier_text: bool,
    /// Lines of all the output that is kept.
    pub lines: usize,
    /// Whether the program cleared the screen and what was above it.
    pub cleared: bool,
    /// All bytes that are kept.
    pub raw: Captured,
}

#[derive(Debug, Default)]
pub(crate) struct Told {
    text: String,
    times: u32,
}

impl Told {
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Renders, and tells what is new in comparison with the last time.
    pub(crate) fn tell(&mut self, raw: Captured) -> Output {
        let mut shown = screen::render(&raw.head);
        if !raw.tail.is_empty() {
            let tail = screen::render(&raw.tail);
            shown.text = format!(
                "{}\n[... {} bytes of output omitted ...]\n{}",
                shown.text,
                raw.omitted(),
                tail.text
            );
            shown.lines += tail.lines + 1;
            shown.cleared |= tail.cleared;
        }
        let output = Output {
            text: new_part(&self.text, &shown.text).to_owned(),
            earlier: self.times,
            earlier_text: !self.text.is_empty(),
            lines: shown.lines,
            cleared: shown.cleared,
            raw,
        };
        self.text = shown.text;
        self.times += 1;
        output
    }
}

/// What `now` has beyond `before`: the rest, if it only grew, else everything from the first line that differs.
fn new_part<'a>(before: &str, now: &'a str) -> &'a str {
    if let Some(rest) = now.strip_prefix(before) {
        return rest;
    }
    let mut same = 0;
    for (old, new) in before.split_inclusive('\n').zip(now.split_inclusive('\n')) {
        if old != new {
            break;
        }
        same += new.len();
    }
    now.get(same..).unwrap_or(now)
}

#[cfg(test)]
#[path = "told_tests.rs"]
mod tests;

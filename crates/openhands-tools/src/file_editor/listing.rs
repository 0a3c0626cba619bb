//! How text is shown to the model: numbered lines, clipped to what a response may hold.

use std::fmt::Write as _;

use crate::truncate::truncate_middle;

use super::command::Dialect;

/// Characters of file text or directory listing that are shown.
pub(super) const MAX_SHOWN_CHARS: usize = 16_000;

const FILE_NOTICE: &str = "<response clipped><NOTE>Due to the max output limit, only part of this file has been shown to you. You should retry this tool after you have searched inside the file with `grep -n` in order to find the line numbers of what you are looking for.</NOTE>";

/// Lines in `text`; a final line break does not begin another one.
pub(super) fn line_count(text: &str) -> usize {
    let breaks = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    breaks + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// Where line `number` (from 1) starts, or the end of the text.
pub(super) fn line_start(text: &str, number: usize) -> usize {
    let Some(breaks) = number.checked_sub(2) else {
        return 0;
    };
    memchr::memchr_iter(b'\n', text.as_bytes())
        .nth(breaks)
        .map_or(text.len(), |at| at + 1)
}

/// The lines `first..=last` (from 1) with their breaks; what lies beyond the text is left out.
pub(super) fn lines_between(text: &str, first: usize, last: usize) -> &str {
    let start = line_start(text, first);
    let rest = text.get(start..).unwrap_or_default();
    let wanted = (last + 1).saturating_sub(first);
    rest.get(..line_start(rest, wanted + 1)).unwrap_or(rest)
}

/// The content as `cat -n` prints it. It is clipped first and numbered then, so a number behind the
/// clip is not the line's own: the notice tells the model to search for that.
pub(super) fn numbered(content: &str, of: &str, first: usize, dialect: Dialect) -> String {
    let clipped = truncate_middle(content, MAX_SHOWN_CHARS, FILE_NOTICE);
    let lines = match dialect {
        Dialect::V1 => clipped.strip_suffix('\n').unwrap_or(&clipped),
        Dialect::V0 => &clipped,
    };
    let nothing = dialect == Dialect::V1 && clipped.is_empty();
    with_numbers(lines, nothing, of, first)
}

/// As [`numbered`], for a range of lines: an empty last line is part of the range.
pub(super) fn numbered_range(range: &str, of: &str, first: usize) -> String {
    let lines = range.strip_suffix('\n').unwrap_or(range);
    let clipped = truncate_middle(lines, MAX_SHOWN_CHARS, FILE_NOTICE);
    with_numbers(&clipped, false, of, first)
}

fn with_numbers(lines: &str, nothing: bool, of: &str, first: usize) -> String {
    let mut shown = format!("Here's the result of running `cat -n` on {of}:\n");
    if nothing {
        return shown;
    }
    for (number, line) in (first..).zip(lines.split('\n')) {
        // Writing to a string cannot fail.
        let _ = writeln!(shown, "{number:6}\t{line}");
    }
    shown
}

#[cfg(test)]
#[path = "listing_tests.rs"]
mod tests;

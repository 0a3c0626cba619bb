//! Finding the place in a file that a hunk of a patch means.

/// Added when a hunk marked as the end of the file had to be looked for elsewhere.
const FUZZ_NOT_AT_END: u64 = 10_000;
const FUZZ_TRAILING_SPACE: u64 = 1;
const FUZZ_ANY_SPACE: u64 = 100;
const FUZZ_HEADER_SPACE: u64 = 1;

/// A way to look at a line: as it is, or without some of its blanks.
type Reading = fn(&str) -> &str;

/// A place, and how far the text had to be bent to find it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) fuzz: u64,
}

/// Where the lines of `context` stand, searched from `start` on; at the end of the file first if `at_end`.
pub(super) fn find_context(
    lines: &[String],
    context: &[String],
    start: usize,
    at_end: bool,
) -> Option<Place> {
    if !at_end {
        return find_from(lines, context, start);
    }
    let tail = lines.len().saturating_sub(context.len());
    find_from(lines, context, tail).or_else(|| {
        let place = find_from(lines, context, start)?;
        Some(Place {
            fuzz: place.fuzz + FUZZ_NOT_AT_END,
            ..place
        })
    })
}

fn find_from(lines: &[String], context: &[String], start: usize) -> Option<Place> {
    if context.is_empty() {
        return Some(Place {
            line: start,
            fuzz: 0,
        });
    }
    let readings: [(Reading, u64); 3] = [
        (|line| line, 0),
        (trim_end, FUZZ_TRAILING_SPACE),
        (trim, FUZZ_ANY_SPACE),
    ];
    readings.into_iter().find_map(|(reading, fuzz)| {
        let wanted: Vec<&str> = context.iter().map(|line| reading(line)).collect();
        let fits = |window: &[String]| {
            window
                .iter()
                .zip(&wanted)
                .all(|(line, wanted)| reading(line) == *wanted)
        };
        let offset = lines.get(start..)?.windows(context.len()).position(fits)?;
        Some(Place {
            line: start + offset,
            fuzz,
        })
    })
}

/// The line after the one that a `@@` header names. Nothing if the line is not there, or, unless `nested` in another
/// header, if it also stands before `start`: then the header says nothing about where to go on.
pub(super) fn find_header(
    lines: &[String],
    header: &str,
    start: usize,
    nested: bool,
) -> Option<Place> {
    let readings: [(Reading, u64); 2] = [(|line| line, 0), (trim, FUZZ_HEADER_SPACE)];
    readings.into_iter().find_map(|(reading, fuzz)| {
        let fits = |line: &String| reading(line) == reading(header);
        let (before, after) = lines.split_at_checked(start)?;
        if !nested && before.iter().any(fits) {
            return None;
        }
        let offset = after.iter().position(fits)?;
        Some(Place {
            line: start + offset + 1,
            fuzz,
        })
    })
}

/// Blank as Python's `str.strip` sees it.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(is_blank)
}

fn trim_end(text: &str) -> &str {
    text.trim_end_matches(is_blank)
}

#[cfg(test)]
#[path = "locate_tests.rs"]
mod tests;

//! Finding the one place that `old_str` names.

use std::ops::Range;

use memchr::memmem;

use super::document::{Document, with_plain_breaks};
use super::error::{EditorError, MAX_LISTED_LINES};

/// The place of the only occurrence of `old_str` in the document's text. When there is none, `old_str` is tried
/// without the white space around it.
pub(super) fn find_unique(
    document: &Document,
    old_str: &str,
    path: &str,
) -> Result<Range<usize>, EditorError> {
    let text = document.text();
    // The text has `\n` breaks only; a model that saw the raw file may write the file's own.
    let plain = (old_str.contains('\r') && document.has_carriage_returns())
        .then(|| with_plain_breaks(old_str));
    let candidates = [Some(old_str), plain.as_deref()];
    for wanted in candidates.into_iter().flatten() {
        if let Some(found) = unique(text, wanted, wanted)? {
            return Ok(found);
        }
    }
    let stripped = plain.as_deref().unwrap_or(old_str).trim_matches(is_space);
    unique(text, stripped, stripped)?.ok_or_else(|| EditorError::NotFound {
        old_str: stripped.to_owned(),
        path: path.to_owned(),
    })
}

/// What Python's `strip` takes away: Unicode white space and the four separators.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

fn unique(text: &str, wanted: &str, named: &str) -> Result<Option<Range<usize>>, EditorError> {
    let mut places = occurrences(text, wanted);
    let Some(first) = places.next() else {
        return Ok(None);
    };
    let Some(second) = places.next() else {
        return Ok(Some(first..first + wanted.len()));
    };
    let (lines, more) = lines_of([first, second].into_iter().chain(places), text);
    Err(EditorError::Ambiguous {
        old_str: named.to_owned(),
        lines,
        more,
    })
}

/// Where `wanted` begins, not counting overlaps. Nothing occurs everywhere, also at the end.
pub(crate) fn occurrences<'a>(
    text: &'a str,
    wanted: &'a str,
) -> Box<dyn Iterator<Item = usize> + 'a> {
    if wanted.is_empty() {
        let places = text.char_indices().map(|(at, _)| at);
        return Box::new(places.chain([text.len()]));
    }
    Box::new(memmem::find_iter(text.as_bytes(), wanted.as_bytes()))
}

/// The distinct line numbers of ascending places: the first of them, and how many follow.
fn lines_of(places: impl Iterator<Item = usize>, text: &str) -> (Vec<usize>, usize) {
    let (mut lines, mut more) = (Vec::new(), 0);
    let (mut line, mut from, mut last) = (1, 0, 0);
    for place in places {
        let between = text.as_bytes().get(from..place).unwrap_or_default();
        line += memchr::memchr_iter(b'\n', between).count();
        from = place;
        if line == last {
            continue;
        }
        last = line;
        if lines.len() < MAX_LISTED_LINES {
            lines.push(line);
        } else {
            more += 1;
        }
    }
    (lines, more)
}

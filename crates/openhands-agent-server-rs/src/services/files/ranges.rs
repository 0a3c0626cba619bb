//! Parts of a file that a request asks for: the `Range` header.

use std::ops::Range;

/// More ranges than this are answered with the whole file.
const MAX_RANGES: usize = 100;

/// What a `Range` header asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Everything.
    Whole,
    /// Parts that do not touch each other, in order; at least one.
    Parts(Vec<Range<u64>>),
    /// Nothing that the file has.
    Unsatisfiable,
    /// The header is wrong, for this reason.
    Malformed(&'static str),
}

/// Reads a `Range` header for a file of this size.
pub(crate) fn wanted(header: &str, size: u64) -> Wanted {
    let Some((unit, parts)) = header.split_once('=') else {
        return Wanted::Malformed("Malformed range header.");
    };
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return Wanted::Malformed("Only support bytes range");
    }
    if parts.split(',').count() > MAX_RANGES {
        return Wanted::Whole;
    }
    let mut ranges: Vec<Range<u64>> = parts
        .split(',')
        .filter_map(|part| range(part, size))
        .collect();
    if ranges.is_empty() {
        return Wanted::Malformed("Range header: range must be requested");
    }
    if ranges.iter().any(|range| range.start >= size) {
        return Wanted::Unsatisfiable;
    }
    if ranges.iter().any(|range| range.start >= range.end) {
        return Wanted::Malformed("Range header: start must be less than end");
    }
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            Some(_) | None => merged.push(range),
        }
    }
    Wanted::Parts(merged)
}

/// `first-last`, `first-` or `-count`. What is none of these is passed over.
fn range(part: &str, size: u64) -> Option<Range<u64>> {
    let (first, last) = part.trim().split_once('-')?;
    let (first, last) = (first.trim(), last.trim());
    if first.is_empty() {
        let count: u64 = number(last)?;
        return Some(size.saturating_sub(count)..size);
    }
    let start = number(first)?;
    let end = match last {
        "" => size,
        last => number(last)?.saturating_add(1).min(size),
    };
    Some(start..end)
}

/// A number; one that is too large for any file is as large as can be.
fn number(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
#[path = "ranges_tests.rs"]
mod tests;

//! Text without the escape codes that colour it.

use std::borrow::Cow;

/// The text without SGR codes (`ESC [ … m`) and erasures of a line (`ESC [ … K`), which progress bars and
/// tracebacks use. Other codes stay: they are rare, and may be what the cell is about.
pub(crate) fn without_colours(text: &str) -> Cow<'_, str> {
    if !text.contains("\u{1b}[") {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut parts = text.split("\u{1b}[");
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let after = part.trim_start_matches(|c: char| c.is_ascii_digit() || ";:".contains(c));
        if let Some(rest) = after.strip_prefix(['m', 'K']) {
            plain.push_str(rest);
        } else {
            plain.push_str("\u{1b}[");
            plain.push_str(part);
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
#[path = "escapes_tests.rs"]
mod tests;

//! One call's piece of a page's text, with what the model is told about it.

use super::filter::without_noise;
use std::fmt::Write as _;

/// The most characters of one piece.
const MAX_CHARS: usize = 30_000;
/// How far before the end of a piece an empty line may stand to become its end.
const PARAGRAPH_CHARS: usize = 500;
/// How far before the end of a piece a full stop may stand to become its end.
const SENTENCE_CHARS: usize = 200;

/// The whole text of a page and how it came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    /// Characters of the document as HTML.
    pub html_chars: usize,
    /// Characters of the Markdown before noise was taken out.
    pub markdown_chars: usize,
    /// The text.
    pub text: String,
}

impl Extracted {
    /// Takes the noise out of a page's Markdown.
    pub fn new(html_chars: usize, markdown: &str) -> Self {
        Self {
            html_chars,
            markdown_chars: markdown.chars().count(),
            text: without_noise(markdown),
        }
    }
}

/// What the model reads: where it is, how much there is, and the piece that begins at the character `start`.
pub fn report(url: &str, page: &Extracted, start: usize) -> String {
    let total = page.text.chars().count();
    if start > 0 && start >= total {
        return format!(
            "start_from_char ({start}) exceeds content length ({total}). Content has {total} characters after filtering."
        );
    }
    let rest: Vec<char> = page.text.chars().skip(start).collect();
    let end = end_of_piece(&rest);
    let shown: String = rest.iter().take(end).collect();
    let mut stats = format!(
        "Content processed: {} HTML chars → {} initial markdown → {} filtered markdown",
        grouped(page.html_chars),
        grouped(page.markdown_chars),
        grouped(total)
    );
    if start > 0 {
        let _ = write!(stats, " (started from char {})", grouped(start));
    }
    let removed = page.markdown_chars.saturating_sub(total);
    if end < rest.len() {
        let _ = write!(
            stats,
            " → {} final chars (truncated, use start_from_char={} to continue)",
            grouped(end),
            start + end
        );
    } else if removed > 0 {
        let _ = write!(stats, " (filtered {} chars of noise)", grouped(removed));
    }
    format!(
        "<url>\n{url}\n</url>\n<content>\n<content_stats>\n{stats}\n</content_stats>\n\n<webpage_content>\n{shown}\n</webpage_content>\n</content>"
    )
}

/// Where a piece ends: with the text, or before its limit at an empty line or after a full stop.
fn end_of_piece(text: &[char]) -> usize {
    let Some(piece) = text.get(..MAX_CHARS).filter(|_| text.len() > MAX_CHARS) else {
        return text.len();
    };
    let tail = |chars: usize| piece.get(MAX_CHARS - chars..).unwrap_or_default();
    let paragraph = tail(PARAGRAPH_CHARS)
        .windows(2)
        .rposition(|pair| pair == ['\n', '\n'])
        .map(|at| MAX_CHARS - PARAGRAPH_CHARS + at);
    let sentence = || {
        tail(SENTENCE_CHARS)
            .iter()
            .rposition(|character| *character == '.')
            .map(|at| MAX_CHARS - SENTENCE_CHARS + at + 1)
    };
    paragraph.or_else(sentence).unwrap_or(MAX_CHARS)
}

/// A number with a comma between groups of three digits.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
#[path = "piece_tests.rs"]
mod tests;

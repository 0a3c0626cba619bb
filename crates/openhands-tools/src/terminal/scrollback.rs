//! How many of a long output's last lines a terminal with a limited history still shows.
//!
//! compat: the reference reads its output from a tmux pane with 10,000 lines of history, which forgets a tenth
//! at a time. Clients and models see the resulting line counts, so the same arithmetic is done here on the
//! number of lines, without a terminal.

use openhands_process::Size;

/// Lines above the screen that are kept.
const HISTORY_LINES: usize = 10_000;
/// Lines forgotten at once when the history is full.
const FORGOTTEN_LINES: usize = HISTORY_LINES / 10;
/// Rows that a prompt, with the command or the cursor on its last row, takes before and after the output.
const PROMPT_LINES: usize = 12;

/// Rows of the screen that one line of text takes.
fn rows(line: &str, screen: Size) -> usize {
    let columns = usize::from(screen.columns).max(1);
    line.chars().count().div_ceil(columns).max(1)
}

/// The part of `text` that is still there, and whether any of it was lost.
pub(super) fn visible(text: &str, screen: Size) -> (&str, bool) {
    let screen_lines = usize::from(screen.rows);
    // Below this many bytes not even empty lines fill the history.
    if text.len() < HISTORY_LINES {
        return (text, false);
    }
    let total: usize = text.split('\n').map(|line| rows(line, screen)).sum();
    let scrolled = (total + 2 * PROMPT_LINES).saturating_sub(screen_lines);
    if scrolled <= HISTORY_LINES {
        return (text, false);
    }
    let history =
        HISTORY_LINES - FORGOTTEN_LINES + 1 + (scrolled - HISTORY_LINES - 1) % FORGOTTEN_LINES;
    let kept = history + screen_lines - PROMPT_LINES;
    let mut seen = 0;
    let mut start = text.len();
    for line in text.rsplit('\n') {
        seen += rows(line, screen);
        if seen > kept {
            break;
        }
        start = start.saturating_sub(line.len() + 1);
    }
    // `start` stands on the newline before the first kept line.
    (text.get(start + 1..).unwrap_or_default(), true)
}

#[cfg(test)]
#[path = "scrollback_tests.rs"]
mod tests;

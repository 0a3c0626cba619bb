//! What is left out of a page's text: data that a script left lying on the page.

use serde_json::Value;

/// A line of data shorter than this may well be meant to be read.
const MIN_DATA_CHARS: usize = 100;

/// `text` without long lines of JSON, and without more than one empty line in a row. Blocks of code stay as they are.
pub(super) fn without_noise(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut fence: Option<&str> = None;
    let mut gap = 0;
    for line in text.lines() {
        let bare = line.trim_start_matches(['>', ' ']);
        if let Some(end) = fence {
            if bare.trim_end() == end {
                fence = None;
            }
        } else {
            let ticks = bare.len() - bare.trim_start_matches('`').len();
            if ticks >= 3 {
                fence = bare.get(..ticks);
                gap = 0;
            } else if is_data(bare) {
                continue;
            } else if bare.is_empty() && !line.contains('>') {
                gap += 1;
                if gap > 1 {
                    continue;
                }
            } else {
                gap = 0;
            }
        }
        kept.push_str(line.trim_end());
        kept.push('\n');
    }
    kept.trim().to_owned()
}

fn is_data(line: &str) -> bool {
    let line = line.trim();
    let wrapped = line.starts_with('{') && line.ends_with('}')
        || line.starts_with('[') && line.ends_with(']');
    wrapped
        && line.chars().nth(MIN_DATA_CHARS).is_some()
        && serde_json::from_str::<Value>(line).is_ok()
}

#[cfg(test)]
#[path = "filter_tests.rs"]
mod tests;

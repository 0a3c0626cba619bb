//! What was tried before an action failed, as the reference prints it.

use std::fmt::Write as _;

/// Lines, those of one step indented. What is repeated is shown once, with a number.
#[derive(Debug, Default)]
pub(super) struct CallLog {
    lines: Vec<String>,
}

impl CallLog {
    pub(super) fn add(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    /// `\nCall log:\n  - …\n`, or nothing if nothing was tried.
    pub(super) fn print(&self) -> String {
        if self.lines.is_empty() {
            return String::new();
        }
        let mut printed = "\nCall log:\n".to_owned();
        let mut rest = self.lines.as_slice();
        while !rest.is_empty() {
            let (size, count) = repeated(rest);
            let (block, after) = rest.split_at(size.min(rest.len()));
            for (number, line) in block.iter().enumerate() {
                let text = line.trim_start();
                let indent = " ".repeat(2 + line.len() - text.len());
                let text = text.trim_end();
                let _ = match (count, number) {
                    (1, _) => writeln!(printed, "{indent}- {text}"),
                    (_, 0) => writeln!(printed, "{indent}{count} × {text}"),
                    _ => {
                        let under = " ".repeat(count.to_string().len() + 1);
                        writeln!(printed, "{indent}{under}- {text}")
                    }
                };
            }
            rest = after.get(size * (count - 1)..).unwrap_or_default();
        }
        printed
    }
}

/// How many lines at the beginning make the block that covers most when it is repeated, and how often it is there.
fn repeated(lines: &[String]) -> (usize, usize) {
    let mut best = (1, 1);
    for size in 1..=lines.len() / 2 {
        let mut blocks = lines.chunks_exact(size);
        let Some(first) = blocks.next() else { break };
        let count = 1 + blocks.take_while(|block| *block == first).count();
        if count > 1 && count * size > best.0 * best.1 {
            best = (size, count);
        }
    }
    best
}

#[cfg(test)]
#[path = "call_log_tests.rs"]
mod tests;

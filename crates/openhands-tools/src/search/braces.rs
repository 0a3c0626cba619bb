//! Brace alternatives in patterns: `*.{js,ts}` is `*.js` and `*.ts`.
//!
//! As in a shell, braces without a comma (`{{name}}`, `{}`) and unclosed ones stand for themselves, and braces inside
//! a `[set]` are members of it.

/// A pattern that names more alternatives than this is refused: each one costs time at every file.
pub(crate) const MAX_ALTERNATIVES: usize = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Pattern expands to more than {MAX_ALTERNATIVES} alternatives")]
pub struct TooManyAlternatives;

/// All alternatives of a pattern, in the order they are written.
pub(crate) fn expand(pattern: &str) -> Result<Vec<String>, TooManyAlternatives> {
    let mut done = Vec::new();
    // Alternatives whose first `from` characters are settled, the next one last.
    let mut pending: Vec<(Vec<char>, usize)> = vec![(pattern.chars().collect(), 0)];
    while let Some((chars, from)) = pending.pop() {
        if done.len() + pending.len() >= MAX_ALTERNATIVES {
            return Err(TooManyAlternatives);
        }
        let Some(group) = next_group(&chars, from) else {
            done.push(chars.into_iter().collect());
            continue;
        };
        let before = chars.get(..group.open).unwrap_or_default();
        let after = chars.get(group.close + 1..).unwrap_or_default();
        for (start, end) in group.alternatives.into_iter().rev() {
            let alternative = chars.get(start..end).unwrap_or_default();
            pending.push(([before, alternative, after].concat(), group.open));
        }
    }
    Ok(done)
}

/// Whether the pattern has braces with alternatives.
pub(crate) fn has_alternatives(pattern: &str) -> bool {
    let chars: Vec<char> = pattern.chars().collect();
    next_group(&chars, 0).is_some()
}

struct Group {
    open: usize,
    close: usize,
    alternatives: Vec<(usize, usize)>,
}

/// The first braces with a comma of their own at or behind `from`.
fn next_group(chars: &[char], from: usize) -> Option<Group> {
    let mut at = from;
    while let Some(&c) = chars.get(at) {
        if c == '{'
            && let Some(group) = group_at(chars, at)
        {
            return Some(group);
        }
        at = if c == '[' {
            after_set(chars, at)
        } else {
            at + 1
        };
    }
    None
}

fn group_at(chars: &[char], open: usize) -> Option<Group> {
    let mut depth = 0_usize;
    let mut starts = vec![open + 1];
    let mut at = open + 1;
    loop {
        match chars.get(at)? {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            '}' if starts.len() == 1 => return None,
            '}' => break,
            ',' if depth == 0 => starts.push(at + 1),
            '[' => {
                at = after_set(chars, at);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    let ends = starts.iter().skip(1).map(|start| start - 1).chain([at]);
    let alternatives = starts.iter().copied().zip(ends).collect();
    Some(Group {
        open,
        close: at,
        alternatives,
    })
}

/// The place behind the set that begins at `open`, or just behind the bracket if it is never closed.
fn after_set(chars: &[char], open: usize) -> usize {
    let negated = usize::from(chars.get(open + 1) == Some(&'!'));
    // A `]` in first place is a member.
    let search_from = open + 2 + negated;
    let close = chars.iter().skip(search_from).position(|&c| c == ']');
    close.map_or(open + 1, |offset| search_from + offset + 1)
}

#[cfg(test)]
#[path = "braces_tests.rs"]
mod tests;

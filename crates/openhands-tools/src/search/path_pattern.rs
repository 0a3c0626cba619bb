//! Glob patterns for paths below a directory.
//!
//! A pattern with a `**` part is read from the search directory on; any other matches at every depth. A part that
//! does not begin with a dot never matches a hidden name, and `**` never enters a hidden directory.

use super::braces::{TooManyAlternatives, expand};
use super::name_pattern::NamePattern;

/// A compiled glob pattern with all its alternatives.
#[derive(Debug, Clone)]
pub(crate) struct PathPattern {
    alternatives: Vec<Vec<Part>>,
    /// `!pattern`: every file that is not hidden and does not match.
    negated: bool,
}

#[derive(Debug, Clone)]
enum Part {
    /// `**`: any number of directories, also none.
    AnyDirectories,
    Name(String),
    Pattern(NamePattern),
}

impl PathPattern {
    pub(crate) fn new(pattern: &str) -> Result<Self, TooManyAlternatives> {
        let (negated, pattern) = match pattern.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, pattern),
        };
        let alternatives = expand(pattern)?
            .iter()
            .filter_map(|alternative| parts(alternative))
            .collect();
        Ok(Self {
            alternatives,
            negated,
        })
    }

    /// Whether the file at `names` below the search directory is meant.
    pub(crate) fn matches(&self, names: &[&str]) -> bool {
        let hit = self.alternatives.iter().any(|parts| {
            let reached = advance(parts, names);
            reached.last() == Some(&true)
        });
        if self.negated {
            !hit && !names.iter().any(|name| is_hidden(name))
        } else {
            hit
        }
    }

    /// Whether files below the directory at `names` could be meant. A link to a directory is followed only where the
    /// pattern names it: not through `**`, so that no loop is ever entered.
    pub(crate) fn may_match_below(&self, names: &[&str], is_link: bool) -> bool {
        if self.negated {
            return !is_link && !names.iter().any(|name| is_hidden(name));
        }
        self.alternatives.iter().any(|parts| {
            let mut reached = advance(parts, names);
            if is_link {
                // A position that only `**` could have reached does not count.
                let Some((last, before)) = names.split_last() else {
                    return false;
                };
                let earlier = advance(parts, before);
                for (index, slot) in reached.iter_mut().enumerate() {
                    let named = index.checked_sub(1).is_some_and(|i| {
                        earlier.get(i) == Some(&true)
                            && parts.get(i).is_some_and(|part| part.names(last))
                    });
                    *slot = named;
                }
            }
            // The end of the pattern is not enough: something has to be left to match what is inside.
            reached.iter().zip(parts).any(|(reached, _)| *reached)
        })
    }
}

impl Part {
    /// Whether this part, other than `**`, matches the name.
    fn names(&self, name: &str) -> bool {
        match self {
            Self::AnyDirectories => false,
            Self::Name(expected) => expected == name,
            Self::Pattern(pattern) => {
                (pattern.names_hidden() || !is_hidden(name)) && pattern.matches(name)
            }
        }
    }
}

/// The parts of one alternative; `None` if it cannot match any file.
fn parts(pattern: &str) -> Option<Vec<Part>> {
    // Only directories end in a slash, and nothing above the search directory is searched.
    if pattern.ends_with('/') || pattern.split('/').any(|name| name == "..") {
        return None;
    }
    let names: Vec<&str> = pattern
        .split('/')
        .filter(|name| !name.is_empty() && *name != ".")
        .collect();
    // `.` names the search directory itself, which is no file. An empty pattern means everything.
    if names.is_empty() && !pattern.is_empty() {
        return None;
    }
    let mut parts = Vec::with_capacity(names.len() + 1);
    if !names.contains(&"**") {
        parts.push(Part::AnyDirectories);
    }
    for name in names {
        let part = match name {
            "**" if matches!(parts.last(), Some(Part::AnyDirectories)) => continue,
            "**" => Part::AnyDirectories,
            _ if is_magic(name) => Part::Pattern(NamePattern::new(name)),
            _ => Part::Name(name.to_owned()),
        };
        parts.push(part);
    }
    // An empty pattern means everything; so does a `**` at the end, whose files are one name deeper than its directories.
    if matches!(parts.last(), Some(Part::AnyDirectories)) {
        parts.push(Part::Pattern(NamePattern::new("*")));
    }
    Some(parts)
}

/// Which positions in the pattern can be reached by going through all names. One more slot than parts: its end.
fn advance(parts: &[Part], names: &[&str]) -> Vec<bool> {
    let mut reached = vec![false; parts.len() + 1];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    skip_empty_runs(parts, &mut reached);
    for name in names {
        let mut next = vec![false; reached.len()];
        for (index, part) in parts.iter().enumerate() {
            if reached.get(index) != Some(&true) {
                continue;
            }
            let target = match part {
                Part::AnyDirectories if !is_hidden(name) => index,
                Part::Name(_) | Part::Pattern(_) if part.names(name) => index + 1,
                Part::AnyDirectories | Part::Name(_) | Part::Pattern(_) => continue,
            };
            if let Some(slot) = next.get_mut(target) {
                *slot = true;
            }
        }
        skip_empty_runs(parts, &mut next);
        reached = next;
    }
    reached
}

/// `**` may stand for no directory at all.
fn skip_empty_runs(parts: &[Part], reached: &mut [bool]) {
    for (index, part) in parts.iter().enumerate() {
        if matches!(part, Part::AnyDirectories)
            && reached.get(index) == Some(&true)
            && let Some(slot) = reached.get_mut(index + 1)
        {
            *slot = true;
        }
    }
}

/// Whether a name has characters with a meaning of their own.
pub(crate) fn is_magic(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

fn is_hidden(name: &str) -> bool {
    name.starts_with('.')
}

#[cfg(test)]
#[path = "path_pattern_tests.rs"]
mod tests;

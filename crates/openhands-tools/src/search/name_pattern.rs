//! Shell-style patterns for one file name: `*`, `?`, `[set]`, `[!set]`.
//!
//! The rules are those of Python's `fnmatch`: no escapes, no braces, case matters, a `[` that is never closed is an
//! ordinary character, and a range written backwards matches nothing.

/// A compiled pattern for a single name (never a path).
#[derive(Debug, Clone)]
pub(crate) struct NamePattern {
    parts: Vec<Part>,
    names_hidden: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(char),
    AnyChar,
    AnyRun,
    Set {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl NamePattern {
    pub(crate) fn new(pattern: &str) -> Self {
        let chars: Vec<char> = pattern.chars().collect();
        let mut parts = Vec::new();
        let mut rest = chars.as_slice();
        while let Some((&first, tail)) = rest.split_first() {
            rest = tail;
            let part = match first {
                '*' => Part::AnyRun,
                '?' => Part::AnyChar,
                '[' => match parse_set(tail) {
                    Some((set, after)) => {
                        rest = after;
                        set
                    }
                    None => Part::Literal('['),
                },
                other => Part::Literal(other),
            };
            // Runs of stars mean the same as one and would only cost time.
            if part != Part::AnyRun || parts.last() != Some(&Part::AnyRun) {
                parts.push(part);
            }
        }
        Self {
            names_hidden: pattern.starts_with('.'),
            parts,
        }
    }

    /// Whether the pattern itself begins with a dot, and so asks for hidden names.
    pub(crate) fn names_hidden(&self) -> bool {
        self.names_hidden
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        let name: Vec<char> = name.chars().collect();
        // Greedy matching that remembers only the last star: every earlier one is settled by then.
        let (mut at, mut part) = (0, 0);
        let mut retry: Option<(usize, usize)> = None;
        loop {
            let accepted = match (self.parts.get(part), name.get(at)) {
                (Some(Part::AnyRun), _) => {
                    retry = Some((part, at));
                    part += 1;
                    continue;
                }
                (Some(expected), Some(&c)) => expected.accepts(c),
                (None, None) => return true,
                (None, Some(_)) | (Some(_), None) => false,
            };
            if accepted {
                at += 1;
                part += 1;
                continue;
            }
            match retry {
                Some((star, from)) if from < name.len() => {
                    retry = Some((star, from + 1));
                    at = from + 1;
                    part = star + 1;
                }
                Some(_) | None => return false,
            }
        }
    }

    /// The same pattern as a line of an override file of the `ignore` crate, or `None` where that syntax cannot say it.
    pub(crate) fn to_override(&self) -> Option<String> {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(c) if *c == '/' || c.is_control() => return None,
                Part::Literal(c) => {
                    if !c.is_alphanumeric() {
                        out.push('\\');
                    }
                    out.push(*c);
                }
                Part::AnyRun => out.push('*'),
                // The walk may let too much through; the name is checked again afterwards.
                Part::AnyChar | Part::Set { .. } => out.push('?'),
            }
        }
        Some(out)
    }
}

impl Part {
    fn accepts(&self, c: char) -> bool {
        match self {
            Self::Literal(expected) => *expected == c,
            Self::AnyChar | Self::AnyRun => true,
            Self::Set { negated, ranges } => {
                ranges.iter().any(|&(lo, hi)| lo <= c && c <= hi) != *negated
            }
        }
    }
}

/// Reads a set after its `[`; gives it and what follows its `]`, or `None` if it is never closed.
fn parse_set(after_bracket: &[char]) -> Option<(Part, &[char])> {
    let (negated, body) = match after_bracket.split_first() {
        Some(('!', tail)) => (true, tail),
        Some(_) | None => (false, after_bracket),
    };
    // A `]` in first place belongs to the set.
    let close = 1 + body.get(1..)?.iter().position(|&c| c == ']')?;
    let (inside, rest) = body.split_at_checked(close)?;
    let mut ranges = Vec::new();
    let mut inside = inside;
    while let Some((&lo, tail)) = inside.split_first() {
        if let ['-', hi, after @ ..] = tail {
            if lo <= *hi {
                ranges.push((lo, *hi));
            }
            inside = after;
        } else {
            ranges.push((lo, lo));
            inside = tail;
        }
    }
    Some((
        Part::Set { negated, ranges },
        rest.get(1..).unwrap_or_default(),
    ))
}

#[cfg(test)]
#[path = "name_pattern_tests.rs"]
mod tests;

//! What stays out of an archive.

use std::path::Path;

/// Dependencies, caches and what a build makes.
const DEFAULTS: [&str; 13] = [
    ".git/",
    "node_modules/",
    ".venv/",
    "venv/",
    "__pycache__/",
    ".mypy_cache/",
    ".pytest_cache/",
    ".ruff_cache/",
    "dist/",
    "build/",
    ".next/",
    "target/",
    "*.pyc",
];

/// Files inside of a `.git` that may hold credentials.
const CREDENTIALS: [&str; 5] = [
    "config",
    "config.worktree",
    "credentials",
    ".git-credentials",
    "FETCH_HEAD",
];

/// Patterns of what is left out. A pattern with a slash at its end means directories only; one with a slash inside starts
/// at the root, where `*` does not cross a slash; any other matches at every depth.
#[derive(Debug, Clone)]
pub(super) struct Excludes(Vec<String>);

impl Excludes {
    pub(super) fn new(with_defaults: bool, asked: Vec<String>) -> Self {
        let defaults = DEFAULTS
            .iter()
            .filter(|_| with_defaults)
            .map(|pattern| (*pattern).to_owned());
        Self(defaults.chain(asked).collect())
    }

    /// The patterns as they were given.
    pub(super) fn patterns(&self) -> &[String] {
        &self.0
    }

    /// Whether a path, relative to the root, stays out.
    pub(super) fn leave_out(&self, path: &Path, is_directory: bool) -> bool {
        let parts: Vec<String> = path
            .components()
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect();
        holds_credentials(&parts)
            || self
                .0
                .iter()
                .any(|pattern| matches(pattern, &parts, is_directory))
    }

    /// The same for git: what is to be left out of an `add` or a `diff`.
    pub(super) fn pathspecs(&self) -> Vec<String> {
        let mut specs = Vec::new();
        for given in &self.0 {
            let pattern = given.trim_end_matches('/');
            if pattern.is_empty() {
                continue;
            }
            let anywhere = if pattern.contains('/') { "" } else { "**/" };
            if !given.ends_with('/') {
                specs.push(format!(":(glob,exclude){anywhere}{pattern}"));
            }
            specs.push(format!(":(glob,exclude){anywhere}{pattern}/**"));
        }
        specs
    }
}

fn matches(given: &str, parts: &[String], is_directory: bool) -> bool {
    let pattern = given.trim_end_matches('/');
    let directories_only = given.ends_with('/');
    if pattern.contains('/') {
        let wanted: Vec<&str> = pattern.split('/').collect();
        let begins = parts.len() >= wanted.len()
            && wanted
                .iter()
                .zip(parts)
                .all(|(pattern, part)| fits(pattern, part));
        // A file that has the name of a directory to leave out is kept.
        return begins && !(directories_only && !is_directory && parts.len() == wanted.len());
    }
    let last = parts
        .len()
        .saturating_sub(usize::from(directories_only && !is_directory));
    parts.iter().take(last).any(|part| fits(pattern, part))
}

/// Whether a name fits a pattern of `*`, `?` and `[...]`.
fn fits(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    // Where to go on if the part after the last `*` does not fit here.
    let mut retry = None;
    loop {
        match (pattern.get(p), name.get(n)) {
            (None, None) => return true,
            (Some('*'), _) => {
                retry = Some((p + 1, n));
                p += 1;
                continue;
            }
            (Some(_), Some(letter)) => {
                if let Some(length) = one(pattern.get(p..).unwrap_or_default(), *letter) {
                    p += length;
                    n += 1;
                    continue;
                }
            }
            (Some(_), None) | (None, Some(_)) => {}
        }
        match retry {
            Some((after, at)) if at < name.len() => {
                retry = Some((after, at + 1));
                (p, n) = (after, at + 1);
            }
            Some(_) | None => return false,
        }
    }
}

/// How much of the pattern stands for this one letter, if it fits.
fn one(pattern: &[char], letter: char) -> Option<usize> {
    match pattern.first()? {
        '?' => Some(1),
        '[' => {
            let negated = pattern.get(1) == Some(&'!');
            let start = if negated { 2 } else { 1 };
            // A bracket right at the start is a letter of the set.
            let end = pattern
                .iter()
                .skip(start + 1)
                .position(|c| *c == ']')
                .map(|at| at + start + 1);
            match end.and_then(|end| Some((end, pattern.get(start..end)?))) {
                Some((end, set)) => (in_set(set, letter) != negated).then_some(end + 1),
                // Never closed: a bracket like any letter.
                None => (letter == '[').then_some(1),
            }
        }
        plain => (*plain == letter).then_some(1),
    }
}

fn in_set(set: &[char], letter: char) -> bool {
    let mut rest = set;
    while let Some((first, after)) = rest.split_first() {
        if let [dash, last, beyond @ ..] = after
            && *dash == '-'
        {
            if (*first..=*last).contains(&letter) {
                return true;
            }
            rest = beyond;
        } else {
            if *first == letter {
                return true;
            }
            rest = after;
        }
    }
    false
}

/// Whether this is a file inside of a `.git`, also that of a submodule, that may hold credentials or tell of them.
fn holds_credentials(parts: &[String]) -> bool {
    let mut inside = parts
        .iter()
        .skip_while(|part| *part != ".git")
        .skip(1)
        .peekable();
    if inside.peek().is_none() {
        return false;
    }
    let inside: Vec<&String> = inside.collect();
    inside.iter().any(|part| *part == "logs")
        || inside
            .last()
            .is_some_and(|last| CREDENTIALS.contains(&last.as_str()))
}

#[cfg(test)]
#[path = "excludes_tests.rs"]
mod tests;

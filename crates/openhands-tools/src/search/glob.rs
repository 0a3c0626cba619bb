//! Which files of a tree have a path that matches a pattern.

use std::fs::FileType;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::braces::{TooManyAlternatives, has_alternatives};
use super::grep::walk_threads;
use super::newest::{Found, Newest};
use super::path_pattern::{PathPattern, is_magic};
use super::stop::{Stop, Stopped};

#[derive(Debug, thiserror::Error)]
pub enum GlobError {
    #[error(transparent)]
    Pattern(#[from] TooManyAlternatives),
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Lists matching files below `root` on all cores. Ignore files are not asked: a pattern names what it wants.
pub fn glob(pattern: &str, root: &Path, stop: &Stop) -> Result<Found, GlobError> {
    let pattern = Arc::new(PathPattern::new(pattern)?);
    let newest = Newest::default();
    let base = Arc::new(root.to_path_buf());
    let mut walk = WalkBuilder::new(root);
    walk.standard_filters(false)
        .follow_links(true)
        .threads(walk_threads())
        .filter_entry({
            let (pattern, base) = (Arc::clone(&pattern), Arc::clone(&base));
            move |entry| !is_directory(entry) || enters(&pattern, &base, entry)
        });
    walk.build_parallel().run(|| {
        let (pattern, base, newest) = (&pattern, &base, &newest);
        Box::new(move |entry| {
            if stop.is_due() {
                return WalkState::Quit;
            }
            // A directory that cannot be listed and a link that leads nowhere are passed over.
            if let Ok(entry) = entry
                && entry.file_type().is_some_and(|kind| kind.is_file())
                && below(base, entry.path(), |names| pattern.matches(names))
            {
                newest.add(entry.path());
            }
            WalkState::Continue
        })
    });
    stop.check()?;
    Ok(newest.into_found())
}

fn is_directory(entry: &DirEntry) -> bool {
    entry.file_type().as_ref().is_some_and(FileType::is_dir)
}

fn enters(pattern: &PathPattern, base: &Path, directory: &DirEntry) -> bool {
    let is_link = directory.path_is_symlink();
    directory.depth() == 0
        || below(base, directory.path(), |names| {
            pattern.may_match_below(names, is_link)
        })
}

/// Calls `test` with the names between the search directory and the path.
fn below(base: &Path, path: &Path, test: impl FnOnce(&[&str]) -> bool) -> bool {
    let Ok(relative) = path.strip_prefix(base) else {
        return false;
    };
    let names: Vec<_> = relative.iter().map(|name| name.to_string_lossy()).collect();
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    test(&names)
}

/// Splits an absolute pattern into the directory it begins with and the pattern below it; `None` for a relative one.
/// Without any magic the whole of it is a directory, and everything below is meant.
pub(crate) fn split_absolute(pattern: &str) -> Option<(PathBuf, String)> {
    let names = pattern.strip_prefix('/')?;
    let mut directory = PathBuf::from("/");
    let mut names = names
        .split('/')
        .filter(|name| !name.is_empty() && *name != ".")
        .peekable();
    // Braces may span several names (`{a/b,c}`), so from the first one on everything belongs to the pattern.
    while let Some(name) =
        names.next_if(|name| !(is_magic(name) || name.contains('{') && has_alternatives(pattern)))
    {
        directory.push(name);
    }
    let rest: Vec<&str> = names.collect();
    let rest = if rest.is_empty() {
        "**/*".to_owned()
    } else {
        rest.join("/")
    };
    Some((directory, rest))
}

#[cfg(test)]
#[path = "glob_tests.rs"]
mod tests;

//! Which files of a tree contain a pattern.
//!
//! Works as ripgrep does with `-l -i`: ignore files of a git repository are honoured, hidden and binary files are
//! skipped, links are not followed, unreadable files are passed over. An `include` pattern names files on purpose, so
//! it brings back hidden and ignored *files* that match it; hidden and ignored *directories* stay out.

use std::fs::File;
use std::path::Path;

use grep_matcher::Matcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkFinish, SinkMatch};
use ignore::overrides::{Override, OverrideBuilder};
use ignore::{DirEntry, WalkBuilder, WalkState};

use super::content_matcher::{ContentMatcher, Engine};
use super::name_pattern::NamePattern;
use super::newest::{Found, Newest};
use super::python_regex::PatternError;
use super::stop::{Stop, StoppableReader, Stopped};

/// Longest line, or file if the pattern spans lines, that is held in memory by one thread.
const MAX_HELD_BYTES: usize = 256 << 20;

/// What to look for, and where.
#[derive(Debug, Clone, Copy)]
pub struct GrepQuery<'a> {
    pub pattern: &'a str,
    pub root: &'a Path,
    /// Shell-style pattern that file names have to match.
    pub include: Option<&'a str>,
}

#[derive(Debug, thiserror::Error)]
pub enum GrepError {
    #[error("Invalid regex pattern: {0}")]
    Pattern(#[from] PatternError),
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Searches the tree on all cores.
pub fn grep(query: GrepQuery<'_>, stop: &Stop) -> Result<Found, GrepError> {
    let matcher = ContentMatcher::new(query.pattern, stop)?;
    let include = query.include.map(NamePattern::new);
    let newest = Newest::default();
    walker(query.root, include.as_ref())
        .build_parallel()
        .run(|| {
            let mut search = FileSearch::new(&matcher, stop);
            let (include, newest) = (include.as_ref(), &newest);
            Box::new(move |entry| {
                if stop.is_due() {
                    return WalkState::Quit;
                }
                // What cannot be listed or read is passed over: one closed directory must not hide all other results.
                if let Ok(entry) = entry
                    && is_candidate(&entry, include)
                    && search.contains_match(entry.path())
                {
                    newest.add(entry.path());
                }
                WalkState::Continue
            })
        });
    stop.check()?;
    Ok(newest.into_found())
}

/// Threads of a walk: all cores, but more than a dozen only get in each other's way.
pub(crate) fn walk_threads() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get().min(12))
}

fn walker(root: &Path, include: Option<&NamePattern>) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder
        .threads(walk_threads())
        .add_custom_ignore_filename(".rgignore");
    if let Some(overrides) = include.and_then(|pattern| overrides(root, pattern)) {
        builder.overrides(overrides);
    }
    builder
}

/// The include pattern as the walker takes it: matching files win over ignore files, all others are left out.
fn overrides(root: &Path, include: &NamePattern) -> Option<Override> {
    let mut builder = OverrideBuilder::new(root);
    builder.add(&include.to_override()?).ok()?;
    builder.build().ok()
}

fn is_candidate(entry: &DirEntry, include: Option<&NamePattern>) -> bool {
    if !entry.file_type().is_some_and(|kind| kind.is_file()) {
        return false;
    }
    let Some(include) = include else {
        return true;
    };
    // An include such as `*` also opens hidden directories to the walk.
    let directories = entry
        .path()
        .ancestors()
        .skip(1)
        .take(entry.depth().saturating_sub(1));
    let hidden = directories
        .filter_map(Path::file_name)
        .any(|name| name.as_encoded_bytes().starts_with(b"."));
    !hidden && include.matches(&entry.file_name().to_string_lossy())
}

/// One thread's searcher with its buffers.
struct FileSearch<'s> {
    searcher: Searcher,
    matcher: ContentMatcher,
    stop: &'s Stop,
}

impl<'s> FileSearch<'s> {
    fn new(matcher: &ContentMatcher, stop: &'s Stop) -> Self {
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .line_number(false)
            .multi_line(matcher.spans_lines)
            .heap_limit(Some(MAX_HELD_BYTES))
            .build();
        Self {
            searcher,
            matcher: matcher.clone(),
            stop,
        }
    }

    fn contains_match(&mut self, path: &Path) -> bool {
        let Ok(file) = File::open(path) else {
            return false;
        };
        match &self.matcher.engine {
            Engine::Linear(matcher) => run(&mut self.searcher, matcher, file, self.stop),
            Engine::Backtracking(matcher) => run(&mut self.searcher, matcher, file, self.stop),
        }
    }
}

fn run<M: Matcher>(searcher: &mut Searcher, matcher: M, file: File, stop: &Stop) -> bool {
    let mut sink = FirstMatch::default();
    let reader = StoppableReader { inner: file, stop };
    searcher.search_reader(matcher, reader, &mut sink).is_ok() && sink.found && !sink.binary
}

/// Stops at the first match, and notices if what was read is binary.
#[derive(Debug, Default)]
struct FirstMatch {
    found: bool,
    binary: bool,
}

impl Sink for FirstMatch {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, _: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        self.found = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> Result<(), Self::Error> {
        self.binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}

#[cfg(test)]
#[path = "grep_tests.rs"]
mod tests;

//! Reading a patch and finding the places it changes. No file is touched here.

use std::collections::HashMap;

use indexmap::IndexMap;

use super::error::PatchError;
use super::locate::{find_context, find_header, trim};
use super::text::{Chunk, FileText};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const END_OF_FILE: &str = "*** End of File";
const UPDATE: &str = "*** Update File: ";
const DELETE: &str = "*** Delete File: ";
const ADD: &str = "*** Add File: ";
const MOVE: &str = "*** Move to: ";
/// What ends the lines of one file.
const SECTION_ENDS: [&str; 4] = [END, "*** Update File:", "*** Delete File:", "*** Add File:"];

/// What a patch does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileAction {
    Add { content: String },
    Delete,
    Update { chunks: Vec<Chunk>, move_to: String },
}

/// A patch whose places are all found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Patch {
    /// By path as written, in the order of the patch.
    pub(crate) actions: IndexMap<String, FileAction>,
    /// How far contexts had to be bent in total; 0 is exact.
    pub(crate) fuzz: u64,
}

/// The lines of a patch; `Err` if it does not even begin like one.
pub(crate) fn patch_lines(text: &str) -> Result<Vec<String>, PatchError> {
    if !text.starts_with(BEGIN) {
        return Err(PatchError::NoBeginning);
    }
    let text = trim(text);
    // A patch written with carriage returns throughout means plain lines.
    let uses_crlf = text
        .split('\n')
        .next()
        .is_some_and(|first| first.ends_with('\r'));
    let line = |line: &str| match line.strip_suffix('\r') {
        Some(plain) if uses_crlf => plain.to_owned(),
        Some(_) | None => line.to_owned(),
    };
    Ok(text.split('\n').map(line).collect())
}

/// The files that a patch changes or deletes: their texts are needed to read it.
pub(crate) fn files_needed(lines: &[String]) -> Vec<&str> {
    let mut paths: Vec<&str> = Vec::new();
    for line in lines {
        if let Some(path) = line
            .strip_prefix(UPDATE)
            .or_else(|| line.strip_prefix(DELETE))
            && !paths.contains(&path)
        {
            paths.push(path);
        }
    }
    paths
}

/// Every path that a patch names, in any role.
pub(crate) fn paths_named(text: &str) -> Vec<&str> {
    let prefixes = [UPDATE, DELETE, ADD, MOVE];
    let named = |line: &'_ str| prefixes.iter().any(|prefix| line.starts_with(prefix));
    text.lines()
        .filter(|line| named(line))
        .filter_map(|line| line.split_once(": ").map(|(_, path)| path))
        .collect()
}

/// Reads a patch against the texts of [`files_needed`].
pub(crate) fn parse(
    lines: &[String],
    files: &HashMap<String, FileText>,
) -> Result<Patch, PatchError> {
    if lines.len() < 2 || lines.last().map(String::as_str) != Some(END) {
        return Err(PatchError::NotAPatch);
    }
    let mut parser = Parser {
        lines,
        index: 1,
        patch: Patch::default(),
    };
    while !parser.at_any(&[END]) {
        parser.file_section(files)?;
    }
    check_order(&parser.patch)?;
    Ok(parser.patch)
}

/// Changes of a file must follow each other; a hunk marked as the end of the file can break that.
fn check_order(patch: &Patch) -> Result<(), PatchError> {
    for (path, action) in &patch.actions {
        let chunks = match action {
            FileAction::Update { chunks, .. } => chunks.as_slice(),
            FileAction::Add { .. } | FileAction::Delete => &[],
        };
        let mut reached = 0;
        for chunk in chunks {
            if chunk.at < reached {
                let (path, at) = (path.clone(), chunk.at);
                return Err(PatchError::Overlap { path, reached, at });
            }
            reached = chunk.at + chunk.deleted;
        }
    }
    Ok(())
}

struct Parser<'p> {
    lines: &'p [String],
    index: usize,
    patch: Patch,
}

/// The lines of one hunk.
#[derive(Debug, Default)]
struct Hunk {
    /// Lines that must be in the file: kept and deleted ones.
    context: Vec<String>,
    /// Changes, with places relative to the context.
    chunks: Vec<Chunk>,
    at_end: bool,
}

impl<'p> Parser<'p> {
    fn line(&self) -> Result<&'p str, PatchError> {
        let line = self.lines.get(self.index).map(String::as_str);
        line.ok_or(PatchError::UnexpectedEnd(self.index))
    }

    fn at_any(&self, prefixes: &[&str]) -> bool {
        self.line().map_or(true, |line| {
            prefixes.iter().any(|prefix| line.starts_with(prefix))
        })
    }

    /// The rest of the line if it begins with `prefix`; the line is then taken. An empty rest counts as absent, but
    /// its line is gone (compat).
    fn take(&mut self, prefix: &str) -> Result<Option<&'p str>, PatchError> {
        let Some(rest) = self.line()?.strip_prefix(prefix) else {
            return Ok(None);
        };
        self.index += 1;
        Ok(Some(rest).filter(|rest| !rest.is_empty()))
    }

    fn file_section(&mut self, files: &HashMap<String, FileText>) -> Result<(), PatchError> {
        let (path, action) = if let Some(path) = self.take(UPDATE)? {
            self.must_be_new("Update", path)?;
            let move_to = self.take(MOVE)?.unwrap_or_default();
            if move_to.starts_with('/') || move_to.split('/').any(|name| name == "..") {
                return Err(PatchError::InvalidMovePath(move_to.to_owned()));
            }
            let file = files
                .get(path)
                .ok_or_else(|| PatchError::MissingFile(path.to_owned()))?;
            let chunks = self.hunks(file)?;
            let move_to = move_to.to_owned();
            (path, FileAction::Update { chunks, move_to })
        } else if let Some(path) = self.take(DELETE)? {
            self.must_be_new("Delete", path)?;
            (path, FileAction::Delete)
        } else if let Some(path) = self.take(ADD)? {
            self.must_be_new("Add", path)?;
            let content = self.added_lines()?.join("\n");
            (path, FileAction::Add { content })
        } else {
            return Err(PatchError::UnknownLine(self.line()?.to_owned()));
        };
        self.patch.actions.insert(path.to_owned(), action);
        Ok(())
    }

    fn must_be_new(&self, section: &'static str, path: &str) -> Result<(), PatchError> {
        if self.patch.actions.contains_key(path) {
            let path = path.to_owned();
            return Err(PatchError::DuplicatePath { section, path });
        }
        Ok(())
    }

    fn added_lines(&mut self) -> Result<Vec<String>, PatchError> {
        let mut added = Vec::new();
        while !self.at_any(&SECTION_ENDS) {
            let line = self.line()?;
            let content = line
                .strip_prefix('+')
                .ok_or_else(|| PatchError::InvalidAddLine(line.to_owned()))?;
            added.push(content.to_owned());
            self.index += 1;
        }
        Ok(added)
    }

    /// All hunks of one file, as changes at places in it.
    fn hunks(&mut self, file: &FileText) -> Result<Vec<Chunk>, PatchError> {
        let lines = file.lines();
        let mut chunks: Vec<Chunk> = Vec::new();
        // The line of the file behind the last hunk.
        let mut reached = 0;
        while !self.at_any(&SECTION_ENDS) && !self.at_any(&[END_OF_FILE]) {
            reached = self.headers(lines, reached)?;
            let hunk = self.hunk()?;
            let Some(place) = find_context(lines, &hunk.context, reached, hunk.at_end) else {
                let (start, context) = (reached, hunk.context.join("\n"));
                return Err(if hunk.at_end {
                    PatchError::EndContextNotFound { start, context }
                } else {
                    PatchError::ContextNotFound { start, context }
                });
            };
            self.patch.fuzz += place.fuzz;
            reached = place.line + hunk.context.len();
            chunks.extend(hunk.chunks.into_iter().map(|mut chunk| {
                chunk.at += place.line;
                chunk
            }));
        }
        Ok(chunks)
    }

    /// The `@@` lines before a hunk. Several in a row lead step by step to the place. Only the first hunk may lack them.
    fn headers(&mut self, lines: &[String], start: usize) -> Result<usize, PatchError> {
        let mut reached = start;
        let mut seen = 0_usize;
        loop {
            let line = self.line()?;
            let header = match line.strip_prefix("@@ ") {
                Some(header) => header,
                None if line == "@@" => "",
                None if seen == 0 && start > 0 => {
                    return Err(PatchError::MissingHeader(line.to_owned()));
                }
                None => return Ok(reached),
            };
            self.index += 1;
            if !trim(header).is_empty()
                && let Some(place) = find_header(lines, header, reached, seen > 0)
            {
                reached = place.line;
                self.patch.fuzz += place.fuzz;
            }
            seen += 1;
        }
    }

    /// The lines of one hunk.
    fn hunk(&mut self) -> Result<Hunk, PatchError> {
        let mut hunk = Hunk::default();
        let mut open: Option<Chunk> = None;
        let first = self.index;
        while let Ok(line) = self.line() {
            if line.starts_with("@@")
                || line == "***"
                || line.starts_with(END_OF_FILE)
                || self.at_any(&SECTION_ENDS)
            {
                break;
            }
            let invalid = || PatchError::InvalidLine(line.to_owned());
            if line.starts_with("***") {
                return Err(invalid());
            }
            self.index += 1;
            let start = hunk.context.len();
            let chunk = || Chunk {
                at: start,
                deleted: 0,
                inserted: Vec::new(),
            };
            if let Some(added) = line.strip_prefix('+') {
                open.get_or_insert_with(chunk)
                    .inserted
                    .push(added.to_owned());
            } else if let Some(deleted) = line.strip_prefix('-') {
                open.get_or_insert_with(chunk).deleted += 1;
                hunk.context.push(deleted.to_owned());
            } else {
                // An empty line is an empty line of the file whose leading blank was lost.
                let kept = if line.is_empty() {
                    ""
                } else {
                    line.strip_prefix(' ').ok_or_else(invalid)?
                };
                hunk.chunks.extend(open.take());
                hunk.context.push(kept.to_owned());
            }
        }
        hunk.chunks.extend(open);
        if self.line()? == END_OF_FILE {
            self.index += 1;
            hunk.at_end = true;
        } else if self.index == first {
            let (index, line) = (self.index, self.line()?.to_owned());
            return Err(PatchError::EmptySection { index, line });
        }
        Ok(hunk)
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;

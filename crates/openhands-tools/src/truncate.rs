//! Middle truncation: long text keeps its head and its tail, a notice stands between them.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::safe_write::write_file;

/// The notice used when a tool has none of its own. Clients look for its opening tag.
pub const DEFAULT_NOTICE: &str = "<response clipped><NOTE>Due to the max output limit, only part of the full response has been shown to you.</NOTE>";

/// Where the full text goes before it is cut.
#[derive(Debug, Clone, Copy)]
pub struct SaveFull<'a> {
    /// Created when missing.
    pub dir: &'a Path,
    /// First part of the file name, usually the tool's name.
    pub prefix: &'a str,
}

/// Cuts `text` to exactly `limit` characters (code points, not bytes) by replacing its middle with
/// `notice`. Text within the limit comes back untouched, and a limit of zero means "no limit".
pub fn truncate_middle<'a>(text: &'a str, limit: usize, notice: &str) -> Cow<'a, str> {
    truncate_middle_saving(text, limit, notice, None)
}

/// As [`truncate_middle`]; when it has to cut and `save` is given, the whole text is first written to
/// `<dir>/<prefix>_output_<hash>.txt`, and the notice names that file and the line where the cut begins.
/// A text that cannot be saved is cut with the plain notice.
pub fn truncate_middle_saving<'a>(
    text: &'a str,
    limit: usize,
    notice: &str,
    save: Option<SaveFull<'_>>,
) -> Cow<'a, str> {
    if limit == 0 || !is_longer_than(text, limit) {
        return Cow::Borrowed(text);
    }
    let notice_chars = notice.chars().count();
    if notice_chars >= limit {
        return Cow::Owned(notice.chars().take(limit).collect());
    }
    let head_chars = (limit - notice_chars).div_ceil(2);

    let saved = save.and_then(|save| {
        let file = save_full(text, save)?;
        let line = lines_in(head_of(text, head_chars)) + 1;
        Some(format!(
            "<response clipped><NOTE>Due to the max output limit, only part of the full response has been shown to you. The complete output has been saved to {} - you can use other tools to view the full content (truncated part starts around line {line}).</NOTE>",
            file.display()
        ))
    });
    let notice = saved.as_deref().unwrap_or(notice);
    let notice_chars = notice.chars().count();
    if notice_chars >= limit {
        return Cow::Owned(notice.chars().take(limit).collect());
    }
    let shown = limit - notice_chars;
    let head_chars = head_chars.min(shown);
    let head = head_of(text, head_chars);
    let tail = tail_of(text, shown - head_chars);
    Cow::Owned([head, notice, tail].concat())
}

/// Whether `text` has more than `limit` characters, counting only when bytes leave it open.
fn is_longer_than(text: &str, limit: usize) -> bool {
    if text.len() <= limit {
        return false;
    }
    // A character takes at most four bytes.
    text.len() / 4 > limit || text.chars().count() > limit
}

fn head_of(text: &str, chars: usize) -> &str {
    let end = text
        .char_indices()
        .nth(chars)
        .map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or(text)
}

fn tail_of(text: &str, chars: usize) -> &str {
    let Some(last) = chars.checked_sub(1) else {
        return "";
    };
    let start = text.char_indices().rev().nth(last).map_or(0, |(at, _)| at);
    text.get(start..).unwrap_or(text)
}

fn lines_in(text: &str) -> usize {
    let breaks = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    breaks + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// Writes the text once; the hash in the name makes a repeat of the same output free.
fn save_full(text: &str, save: SaveFull<'_>) -> Option<PathBuf> {
    let hash = format!("{:x}", Sha256::digest(text.as_bytes()));
    let short = hash.get(..8)?;
    let file = save.dir.join(format!("{}_output_{short}.txt", save.prefix));
    if file.exists() {
        return Some(file);
    }
    // Whole or not at all: a part under this name would pass for the output for ever.
    let written = fs::create_dir_all(save.dir)
        .and_then(|()| write_file(&file, text.as_bytes()).map_err(io::Error::other));
    match written {
        Ok(()) => Some(file),
        Err(error) => {
            tracing::debug!(file = %file.display(), %error, "full output not saved");
            None
        }
    }
}

#[cfg(test)]
#[path = "truncate_tests.rs"]
mod tests;

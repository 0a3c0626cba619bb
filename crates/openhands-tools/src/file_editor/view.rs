//! The `view` command: a file, a part of it, a directory, or an image.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::safe_write::os_error_text;
use crate::truncate::truncate_middle;

use super::command::{Dialect, Outcome};
use super::error::EditorError;
use super::listing::{MAX_SHOWN_CHARS, line_count, lines_between, numbered, numbered_range};

const DIRECTORY_NOTICE: &str = "<response clipped><NOTE>Due to the max output limit, only part of this directory has been shown to you. You should use `ls -la` instead to view large directories incrementally.</NOTE>";

/// The text of a file, or the lines of it that were asked for.
pub(super) fn view_text(
    text: &str,
    path: &str,
    range: &[i64],
    dialect: Dialect,
) -> Result<String, EditorError> {
    if range.is_empty() {
        return Ok(numbered(text, path, 1, dialect));
    }
    let invalid = |hint: String| EditorError::Invalid {
        parameter: "view_range",
        value: format!("{range:?}"),
        hint,
    };
    let &[first, last] = range else {
        return Err(invalid("It should be a list of two integers.".to_owned()));
    };
    let lines = line_count(text);
    let Some(start) = usize::try_from(first)
        .ok()
        .filter(|first| (1..=lines).contains(first))
    else {
        return Err(invalid(format!(
            "Its first element `{first}` should be within the range of lines of the file: [1, {lines}]."
        )));
    };
    let end = match usize::try_from(last) {
        Ok(end) => end.min(lines),
        Err(_) if last == -1 => lines,
        Err(_) => 0,
    };
    if end < start {
        return Err(invalid(format!(
            "Its second element `{last}` should be greater than or equal to the first element `{first}`."
        )));
    }
    let shown = numbered_range(lines_between(text, start, end), path, start);
    if usize::try_from(last).is_ok_and(|last| last > lines) {
        return Ok(format!(
            "NOTE: We only show up to {lines} since there're only {lines} lines in this file.\n{shown}"
        ));
    }
    Ok(shown)
}

/// The MIME type of an image, told by its name alone.
pub(super) fn image_type(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "png" => Some("image/png"),
        "jpg" | "jpeg" => Some("image/jpeg"),
        "gif" => Some("image/gif"),
        "webp" => Some("image/webp"),
        "bmp" => Some("image/bmp"),
        _ => None,
    }
}

pub(super) fn view_image(file: &Path, path: &str, mime: &str) -> Result<Outcome, EditorError> {
    let bytes = fs::read(file).map_err(|error| EditorError::Image {
        reason: os_error_text(&error, Some(file)),
        path: path.to_owned(),
    })?;
    let text = format!("Image file {path} read successfully. Displaying image content.");
    Ok(Outcome {
        image_url: Some(format!("data:{mime};base64,{}", BASE64.encode(bytes))),
        ..Outcome::shown(path, text)
    })
}

/// The visible entries of a directory and of its directories. Links to directories are followed.
pub(super) fn view_directory(dir: &Path, path: &str) -> Result<String, EditorError> {
    let listing = list_directory(dir, path).map_err(|error| EditorError::List {
        reason: os_error_text(&error, Some(dir)),
    })?;
    Ok(truncate_middle(&listing, MAX_SHOWN_CHARS, DIRECTORY_NOTICE).into_owned())
}

fn list_directory(dir: &Path, path: &str) -> io::Result<String> {
    let (visible, hidden) = entries(dir)?;
    let base = path.strip_suffix('/').unwrap_or(path);
    let mut lines = vec![format!("{base}/")];
    for (name, child) in visible {
        if !child.is_dir() {
            lines.push(format!("{base}/{name}"));
            continue;
        }
        lines.push(format!("{base}/{name}/"));
        // A directory that cannot be read is shown without its children.
        let (visible, _) = entries(&child).unwrap_or_default();
        lines.extend(visible.into_iter().map(|(inner, grandchild)| {
            let slash = if grandchild.is_dir() { "/" } else { "" };
            format!("{base}/{name}/{inner}{slash}")
        }));
    }
    let note = match hidden {
        0 => String::new(),
        hidden => format!(
            "\n\n{hidden} hidden files/directories in this directory are excluded. You can use 'ls -la {path}' to see them."
        ),
    };
    Ok(format!(
        "Here's the files and directories up to 2 levels deep in {path}, excluding hidden items:\n{}{note}",
        lines.join("\n")
    ))
}

/// Visible entries by name, sorted bytewise, and the number of hidden ones.
fn entries(dir: &Path) -> io::Result<(Vec<(String, PathBuf)>, usize)> {
    let mut visible = Vec::new();
    let mut hidden = 0;
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            hidden += 1;
        } else {
            visible.push((name, entry.path()));
        }
    }
    visible.sort();
    Ok((visible, hidden))
}

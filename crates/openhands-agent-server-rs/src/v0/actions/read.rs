//! `read`: a file as text, as a data URL, or as the editor shows it.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use openhands_protocol::v0::{FileImpl, ReadAction, ReadExtras, ReadObservation, V0Observation};
use openhands_sdk_rs::tools::blocking;
use openhands_sdk_rs::tools::file_editor::{Command, Request};

use super::regular::{self, Unread};
use crate::services::files::content_type;
use crate::v0::actions::edit;
use crate::v0::execute_action::error;
use crate::v0::refusal::Refusal;
use crate::v0::sandbox::Sandbox;

/// Clients look for this word.
const BINARY: &str = "ERROR_BINARY_FILE";
/// Bytes that the first impression rests on.
const SNIFFED_BYTES: u64 = 1024;

/// Extensions whose content is given as a data URL, and the type where the system knows none.
const MEDIA: &[(&str, &str)] = &[
    ("png", "image/png"),
    ("jpg", "image/png"),
    ("jpeg", "image/png"),
    ("bmp", "image/png"),
    ("gif", "image/png"),
    ("pdf", "application/pdf"),
    ("mp4", "video/mp4"),
    ("webm", "video/mp4"),
    ("ogg", "audio/ogg"),
];

/// Reads a file.
pub(in crate::v0) async fn read(
    sandbox: &Sandbox,
    action: ReadAction,
) -> Result<V0Observation, Refusal> {
    let args = action.args;
    // compat: a relative path is not looked at, so that pictures can be read by one.
    let given = PathBuf::from(&args.path);
    if given.is_absolute() && in_background(move || looks_binary(&given)).await? {
        return Ok(error(BINARY));
    }
    if args.impl_source == FileImpl::OhAci {
        let mut request = Request::new(Command::View, args.path.clone());
        request.view_range = args.view_range;
        let (content, _) = edit::perform(sandbox, request).await?;
        return Ok(observation(args.path, content, FileImpl::OhAci));
    }
    let (path, directory) = sandbox.resolve(&args.path).await;
    let shown = path.display().to_string();
    let content = in_background(move || content(&path, args.start, args.end)).await?;
    Ok(match content {
        Ok(content) => observation(shown, content, FileImpl::Default),
        Err(Unread::Special) => error(format!(
            "Path is not a regular file: {shown}. You can only read files"
        )),
        Err(large @ Unread::TooLarge) => {
            error(format!("File could not be read: {shown}: {large}."))
        }
        Err(Unread::Io(failed)) => match failed.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => error(format!(
                "File not found: {shown}. Your current working directory is {}.",
                directory.display()
            )),
            io::ErrorKind::InvalidData => {
                error(format!("File could not be decoded as utf-8: {shown}."))
            }
            io::ErrorKind::IsADirectory => error(format!(
                "Path is a directory: {shown}. You can only read files"
            )),
            _ => return Err(Refusal::action(edit::os_error(&failed, &shown))),
        },
    })
}

fn observation(path: String, content: String, impl_source: FileImpl) -> V0Observation {
    V0Observation::Read(ReadObservation {
        message: format!("I read the file {path}."),
        content,
        extras: ReadExtras {
            path,
            impl_source,
            ..ReadExtras::default()
        },
        ..ReadObservation::default()
    })
}

pub(super) async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Refusal> {
    blocking(work).await.map_err(Refusal::action)
}

/// What is in a file: its lines, or all of it as a data URL.
fn content(path: &Path, start: i64, end: i64) -> Result<String, Unread> {
    if let Some(mime) = media_type(path) {
        let bytes = regular::bytes(path)?;
        return Ok(format!("data:{mime};base64,{}", BASE64.encode(bytes)));
    }
    let text = regular::text(path)?;
    Ok(lines(&plain_breaks(text), start, end).to_owned())
}

fn media_type(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    let (_, usual) = MEDIA.iter().find(|(known, _)| *known == extension)?;
    Some(content_type::of_name(&format!("x.{extension}")).unwrap_or(usual))
}

/// compat: all line breaks are shown as `\n`.
fn plain_breaks(text: String) -> String {
    if text.contains('\r') {
        text.replace("\r\n", "\n").replace('\r', "\n")
    } else {
        text
    }
}

/// The lines from `start` (from 0) to before `end`; -1 is the end of the text.
///
/// compat: a range that begins behind the last but one line is moved there, and is never empty.
fn lines(text: &str, start: i64, end: i64) -> &str {
    let mut breaks = vec![0];
    breaks.extend(text.split_inclusive('\n').scan(0, |at, line| {
        *at += line.len();
        Some(*at)
    }));
    let count = breaks.len() - 1;
    let clamp = |line: i64| usize::try_from(line).unwrap_or(0).min(count);
    let start = clamp(start);
    let (first, last) = if end == -1 {
        (start, count)
    } else {
        let first = start.min(count.saturating_sub(2));
        (first, clamp(end).max(first + 1).min(count))
    };
    let at = |line: usize| breaks.get(line).copied().unwrap_or(text.len());
    text.get(at(first)..at(last)).unwrap_or_default()
}

/// Whether a file seems to be no text. What is not there, or cannot be read, counts as text.
pub(in crate::v0) fn looks_binary(path: &Path) -> bool {
    let Ok(file) = regular::open(path) else {
        return false;
    };
    let mut start = Vec::new();
    let read = file.take(SNIFFED_BYTES).read_to_end(&mut start);
    read.is_ok() && is_binary(&start)
}

fn is_binary(start: &[u8]) -> bool {
    if start.contains(&0) {
        return true;
    }
    // A character that is cut by the end of the sample is none the worse for it.
    let is_text =
        std::str::from_utf8(start).map_or_else(|wrong| wrong.error_len().is_none(), |_| true);
    let odd = start
        .iter()
        .filter(|byte| {
            !matches!(
                byte,
                0x07 | 0x08 | b'\t' | b'\n' | 0x0C | b'\r' | 0x1B | 0x20..=0x7E
            )
        })
        .count();
    !is_text && odd * 10 > start.len() * 3
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;

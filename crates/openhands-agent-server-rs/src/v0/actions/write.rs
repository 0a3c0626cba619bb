//! `write`: lines into a file.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::Path;

use openhands_protocol::v0::{
    V0Observation, WriteAction, WriteArgs, WriteExtras, WriteObservation,
};
use openhands_sdk_rs::tools::safe_write::write_file;

use super::read::in_background;
use super::regular::{self, Unread};
use crate::v0::actions::edit::os_error;
use crate::v0::execute_action::error;
use crate::v0::refusal::Refusal;
use crate::v0::sandbox::Sandbox;

/// The mode of a new file.
const NEW_MODE: u32 = 0o664;

/// Why a file is not as it should be.
enum Failed {
    Reading(Unread),
    Writing(io::Error),
    /// The content is there, under another owner.
    Owning(io::Error),
}

/// Writes a file.
pub(in crate::v0) async fn write(
    sandbox: &Sandbox,
    action: WriteAction,
) -> Result<V0Observation, Refusal> {
    let (path, _) = sandbox.resolve(&action.args.path).await;
    let shown = path.display().to_string();
    let owner = sandbox.user_id;
    let (failed, doing) = match in_background(move || put(&path, &action.args, owner)).await? {
        Ok(()) => {
            return Ok(V0Observation::Write(WriteObservation {
                message: format!("I wrote to the file {shown}."),
                extras: WriteExtras {
                    path: shown,
                    ..WriteExtras::default()
                },
                ..WriteObservation::default()
            }));
        }
        Err(Failed::Owning(failed)) => {
            return Ok(error(format!(
                "File {shown} written, but failed to change ownership and permissions: {}",
                os_error(&failed, &shown)
            )));
        }
        Err(Failed::Reading(Unread::Special)) => {
            return Ok(error(format!(
                "Path is not a regular file: {shown}. You can only write to files"
            )));
        }
        Err(Failed::Reading(large @ Unread::TooLarge)) => {
            return Ok(error(format!(
                "File could not be written: {shown}: {large}."
            )));
        }
        Err(Failed::Reading(Unread::Io(failed))) => (failed, "read"),
        Err(Failed::Writing(failed)) => (failed, "write"),
    };
    Ok(match failed.kind() {
        io::ErrorKind::NotFound => error(format!("File not found: {shown}")),
        io::ErrorKind::IsADirectory => error(format!(
            "Path is a directory: {shown}. You can only write to files"
        )),
        io::ErrorKind::InvalidData if doing == "read" => {
            error(format!("File could not be decoded as utf-8: {shown}"))
        }
        _ => return Err(Refusal::action(os_error(&failed, &shown))),
    })
}

fn put(path: &Path, args: &WriteArgs, owner: u32) -> Result<(), Failed> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(Failed::Writing)?;
    }
    let existing = match regular::text(path) {
        Ok(before) => Some(before),
        Err(Unread::Io(absent)) if absent.kind() == io::ErrorKind::NotFound => None,
        Err(failed) => return Err(Failed::Reading(failed)),
    };
    let text = match &existing {
        Some(before) => inserted(before, &args.content, args.start, args.end),
        None => with_breaks(&args.content),
    };
    // Mode and owner of a file that was there stay as they are.
    write_file(path, text.as_bytes())
        .map_err(|failed| Failed::Writing(io::Error::new(failed.kind(), failed)))?;
    if existing.is_none() {
        own(path, owner).map_err(Failed::Owning)?;
    }
    Ok(())
}

fn own(path: &Path, owner: u32) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(NEW_MODE))?;
    match chown(path, Some(owner), Some(owner)) {
        // Who is not root has no choice of the group, and needs none.
        Err(refused)
            if refused.kind() == io::ErrorKind::PermissionDenied
                && fs::metadata(path)?.uid() == owner =>
        {
            Ok(())
        }
        done => done,
    }
}

/// compat: each line gets a break at its end, the last one too.
fn with_breaks(content: &str) -> String {
    format!("{content}\n")
}

/// The content in the place of the lines from `start` (from 0) to before `end`; -1 is the end.
fn inserted(before: &str, content: &str, start: i64, end: i64) -> String {
    let lines: Vec<&str> = before.split_inclusive('\n').collect();
    // compat: a negative place counts from the end.
    let place = |at: i64| match usize::try_from(at) {
        Ok(at) => at.min(lines.len()),
        Err(_) => lines
            .len()
            .saturating_sub(usize::try_from(at.unsigned_abs()).unwrap_or(usize::MAX)),
    };
    let mut text: String = lines.iter().take(place(start)).copied().collect();
    if !text.is_empty() && !text.ends_with('\n') {
        // Better than the reference, which would join the last line and the first new one.
        text.push('\n');
    }
    text.push_str(&with_breaks(content));
    if end != -1 {
        text.extend(lines.iter().skip(place(end)).copied());
    }
    text
}

#[cfg(test)]
#[path = "write_tests.rs"]
mod tests;

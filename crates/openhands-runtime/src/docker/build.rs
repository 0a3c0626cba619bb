//! An image that is built here, from a directory with a Dockerfile.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::path::Path;

use bollard::Docker as Engine;
use bollard::models::BuildInfo;
use bollard::query_parameters::BuildImageOptionsBuilder;
use futures_util::StreamExt as _;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::copy::{append, stream_of, unless_stopped};
use super::error::{DockerError, told};
use super::progress::{Progress, Step};

const DOCKERFILE: &str = "Dockerfile";
const IGNORED: &str = ".dockerignore";
/// What is told of a build that fails.
const LAST_LINES: usize = 20;
const MAX_LINE_CHARS: usize = 500;

/// Builds an image from a directory.
pub(super) async fn build(
    engine: &Engine,
    image: &str,
    context: &Path,
    progress: &Progress,
) -> Result<(), DockerError> {
    let failed = |reason: String| DockerError::Build {
        image: image.to_owned(),
        context: context.to_owned(),
        reason,
    };
    let from = context.to_owned();
    let packed = tokio::task::spawn_blocking(move || pack(&from)).await;
    let packed = unless_stopped(packed).map_err(|error| failed(error.to_string()))?;
    let options = BuildImageOptionsBuilder::new()
        .dockerfile(DOCKERFILE)
        .t(image)
        .rm(true)
        .forcerm(true)
        .build();
    let body = bollard::body_stream(stream_of(packed));
    let mut building = Box::pin(engine.build_image(options, None, Some(body)));
    let mut said = VecDeque::new();
    while let Some(told_by_engine) = building.next().await {
        let reason = match told_by_engine.map_err(|error| told(&error)).and_then(line) {
            Ok(text) => {
                for line in text.lines().filter(|line| !line.trim().is_empty()) {
                    if let Some((done, total)) = step_of(line) {
                        progress.tell(Step::Building {
                            image: image.to_owned(),
                            done,
                            total,
                            status: line.trim().to_owned(),
                        });
                    }
                    tracing::debug!(image, "{line}");
                    if said.len() == LAST_LINES {
                        said.pop_front();
                    }
                    said.push_back(line.chars().take(MAX_LINE_CHARS).collect::<String>());
                }
                continue;
            }
            Err(reason) => reason,
        };
        let mut said = Vec::from(said);
        said.push(reason);
        return Err(failed(said.join("\n")));
    }
    Ok(())
}

/// What the engine says of a build; an error if it has failed.
fn line(info: BuildInfo) -> Result<String, String> {
    match info.error_detail.and_then(|detail| detail.message) {
        Some(message) => Err(message),
        None => Ok(info.stream.or(info.status).unwrap_or_default()),
    }
}

/// How many steps are done and how many there are, of a line that begins one: `Step 2/5 : RUN true`.
fn step_of(line: &str) -> Option<(u64, u64)> {
    let (word, rest) = line.trim().split_once(' ')?;
    if !word.eq_ignore_ascii_case("step") {
        return None;
    }
    let numbers = rest.split([' ', ':']).next()?;
    let (at, total) = numbers.split_once('/')?;
    let (at, total): (u64, u64) = (at.parse().ok()?, total.parse().ok()?);
    Some((at.saturating_sub(1), total))
}

/// Packs a directory, without what its `.dockerignore` names.
fn pack(context: &Path) -> io::Result<File> {
    use std::io::Seek as _;

    if !context.join(DOCKERFILE).is_file() {
        return Err(io::Error::other(format!("it has no {DOCKERFILE}")));
    }
    let ignored = ignored(context)?;
    let mut archive = tar::Builder::new(tempfile::tempfile()?);
    archive.follow_symlinks(false);
    add(&mut archive, context, Path::new(""), &ignored)?;
    let mut packed = archive.into_inner()?;
    packed.rewind()?;
    Ok(packed)
}

/// The names in `.dockerignore` start at the top, where those of `.gitignore` are looked for everywhere.
fn ignored(context: &Path) -> io::Result<Gitignore> {
    let text = match std::fs::read_to_string(context.join(IGNORED)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    let mut rules = GitignoreBuilder::new("");
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (not, name) = match line.strip_prefix('!') {
            Some(name) => ("!", name.trim()),
            None => ("", line),
        };
        let name = name.trim_start_matches("./").trim_matches('/');
        rules
            .add_line(None, &format!("{not}/{name}"))
            .map_err(io::Error::other)?;
    }
    rules.build().map_err(io::Error::other)
}

fn add(
    archive: &mut tar::Builder<File>,
    context: &Path,
    directory: &Path,
    ignored: &Gitignore,
) -> io::Result<()> {
    // A part of a directory that is left out may be wanted all the same.
    let may_return = ignored.num_whitelists() > 0;
    for entry in std::fs::read_dir(context.join(directory))? {
        let entry = entry?;
        let name = directory.join(entry.file_name());
        let is_dir = entry.file_type()?.is_dir();
        // The engine reads these two itself.
        let is_needed = [DOCKERFILE, IGNORED]
            .iter()
            .any(|kept| name == Path::new(kept));
        let is_left_out = !is_needed
            && ignored
                .matched_path_or_any_parents(&name, is_dir)
                .is_ignore();
        if !is_left_out {
            append(archive, &entry.path(), &name, None)?;
        }
        if is_dir && (!is_left_out || may_return) {
            add(archive, context, &name, ignored)?;
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "build_tests.rs"]
mod tests;

//! Files into the sandbox and out of it, and what is in a directory.

use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{RawQuery, Request, State};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use openhands_protocol::v0::UploadedFile;
use openhands_sdk_rs::tools::blocking;
use serde_json::Value;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::refusal::Refusal;
use super::sandbox::Sandbox;
use super::unpack::unpack;
use crate::http::{Form, FormError, pairs};
use crate::services::files::pipe::{Attendance, piped};
use crate::services::files::trajectory::modified;
use crate::services::files::upload::Upload;
use crate::v1::file_response::disposition;

const FILE: &str = "('body', 'file')";

/// What a query says of an upload.
struct Destination {
    directory: PathBuf,
    shown: String,
    recursive: bool,
}

impl Destination {
    fn new(query: Option<&str>) -> Result<Self, Refusal> {
        let mut shown = "/".to_owned();
        let mut recursive = false;
        for (name, value) in pairs(query.unwrap_or_default()) {
            match name.as_str() {
                "destination" => shown = value,
                "recursive" => recursive = yes_or_no(&value)?,
                _ => {}
            }
        }
        Ok(Self {
            directory: PathBuf::from(&shown),
            shown,
            recursive,
        })
    }
}

fn yes_or_no(value: &str) -> Result<bool, Refusal> {
    match value.to_lowercase().as_str() {
        "true" | "1" | "yes" | "y" | "on" | "t" => Ok(true),
        "false" | "0" | "no" | "n" | "off" | "f" => Ok(false),
        _ => Err(Refusal::invalid(
            "bool_parsing",
            "('query', 'recursive')",
            "Input should be a valid boolean, unable to interpret input",
            &value.into(),
        )),
    }
}

/// `POST /upload_file`: one file, or an archive that is unpacked.
pub(super) async fn upload(
    RawQuery(query): RawQuery,
    request: Request,
) -> Result<Response, Refusal> {
    let destination = Destination::new(query.as_deref())?;
    let missing = || Refusal::missing(FILE, &Value::Null);
    let mut form = Form::of(request).map_err(|_| missing())?;
    let broken = |error: FormError| Refusal::failed(error.to_string());
    let mut stored = None;
    while let Some(part) = form.next_part().await.map_err(broken)? {
        let name = match (part.name.as_deref(), part.file_name) {
            (Some("file"), Some(name)) if stored.is_none() => name,
            _ => continue,
        };
        // What is refused is read to its end all the same: a client that is still writing does not read why.
        let mut incoming =
            check(&destination, &name).map(|target| (target.clone(), Upload::begin(target, None)));
        while let Some(piece) = form.data().await.map_err(broken)? {
            if let Ok((_, upload)) = &mut incoming {
                upload
                    .write(piece)
                    .await
                    .map_err(|error| Refusal::failed(error.to_string()))?;
            }
        }
        let (target, upload) = incoming?;
        upload
            .finish()
            .await
            .map_err(|error| Refusal::failed(error.to_string()))?;
        stored = Some((name, target));
    }
    let (name, target) = stored.ok_or_else(missing)?;
    if destination.recursive || is_zip(&name) {
        let directory = destination.directory;
        let unpacked = blocking(move || unpack(&target, &directory)).await;
        unpacked
            .map_err(|lost| Refusal::failed(lost.to_string()))?
            .map_err(|error| Refusal::failed(error.to_string()))?;
    }
    Ok(Json(UploadedFile {
        filename: name,
        destination: destination.shown,
        recursive: destination.recursive,
        ..UploadedFile::default()
    })
    .into_response())
}

fn is_zip(name: &str) -> bool {
    // compat: in this spelling only.
    Path::new(name).extension() == Some("zip".as_ref())
}

/// Where a file goes, if it may go there.
fn check(destination: &Destination, name: &str) -> Result<PathBuf, Refusal> {
    if !destination.directory.is_absolute() {
        return Err(Refusal::failed("400: Destination must be an absolute path"));
    }
    if destination.recursive && !is_zip(name) {
        return Err(Refusal::failed("400: Recursive uploads must be zip files"));
    }
    // Better than the reference: a name cannot lead out of the destination.
    let is_inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if name.is_empty() || !Path::new(name).components().all(is_inside) {
        return Err(Refusal::failed(format!(
            "400: The file name must stay inside the destination: {name}"
        )));
    }
    Ok(destination.directory.join(name))
}

/// `GET /download_files`: all files below a directory, as an archive that is made while it is sent.
pub(super) async fn download(RawQuery(query): RawQuery) -> Result<Response, Refusal> {
    let path = pairs(query.as_deref().unwrap_or_default())
        .into_iter()
        .rfind(|(name, _)| name == "path")
        .map(|(_, path)| PathBuf::from(path))
        .ok_or_else(|| Refusal::missing("('query', 'path')", &Value::Null))?;
    if !path.is_absolute() {
        return Err(Refusal::failed("400: Path must be an absolute path"));
    }
    if tokio::fs::metadata(&path).await.is_err() {
        return Err(Refusal::failed("404: File not found"));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let headers = [
        (header::CONTENT_TYPE, "application/zip".to_owned()),
        (
            header::CONTENT_DISPOSITION,
            disposition(&format!("{name}.zip")),
        ),
    ];
    let archive = piped(None, move |pipe| {
        let attendance = pipe.attendance();
        let mut zip = ZipWriter::new_stream(pipe);
        // compat: a path that is a file gives an archive without members.
        if path.is_dir() {
            add_files(&mut zip, &attendance, &path, Path::new(""))?;
        }
        zip.finish().map_err(io::Error::from)?;
        Ok(())
    });
    Ok((headers, Body::from_stream(archive)).into_response())
}

/// Adds the files of a directory, then those of the directories in it. Links to files are followed, those to directories are
/// not. What cannot be read, or has gone meanwhile, is left out: the rest is worth having.
fn add_files<W: io::Write + io::Seek>(
    zip: &mut ZipWriter<W>,
    attendance: &Attendance,
    root: &Path,
    below: &Path,
) -> io::Result<()> {
    let mut directories = Vec::new();
    let here = root.join(below);
    let entries = match fs::read_dir(&here) {
        Ok(entries) => entries,
        Err(error) => {
            tracing::warn!(path = %here.display(), %error, "a directory cannot be read, and is left out");
            return Ok(());
        }
    };
    for entry in entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                tracing::warn!(path = %here.display(), %error, "the rest of a directory cannot be read, and is left out");
                break;
            }
        };
        let path = below.join(entry.file_name());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            directories.push(path);
            continue;
        }
        // What is no file is passed over.
        let whole = root.join(&path);
        let Some(metadata) = fs::metadata(&whole).ok().filter(fs::Metadata::is_file) else {
            continue;
        };
        let Ok(file) = File::open(&whole) else {
            tracing::warn!(path = %whole.display(), "a file cannot be read, and is left out");
            continue;
        };
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .unix_permissions(
                std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777,
            )
            .last_modified_time(modified(&metadata).unwrap_or_default())
            .large_file(metadata.len() > u64::from(u32::MAX) / 2);
        zip.start_file(path.to_string_lossy(), options)?;
        io::copy(&mut attendance.of(file), zip)?;
    }
    for directory in directories {
        add_files(zip, attendance, root, &directory)?;
    }
    Ok(())
}

/// `POST /list_files`: names, directories first.
pub(super) async fn list(
    State(sandbox): State<Arc<Sandbox>>,
    body: Bytes,
) -> Result<Json<Vec<String>>, Refusal> {
    let asked: Value = serde_json::from_slice(&body).map_err(|_| Refusal::unexpected())?;
    let path = match asked.get("path") {
        Some(Value::String(path)) => PathBuf::from(path),
        Some(Value::Null) | None => PathBuf::new(),
        Some(_) => return Err(Refusal::unexpected()),
    };
    let directory = sandbox.settings.working_dir.join(path);
    let names = blocking(move || names(&directory)).await;
    names.map(Json).map_err(|_| Refusal::unexpected())
}

fn names(directory: &Path) -> Vec<String> {
    let (mut directories, mut files) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // A link that leads nowhere has no kind, and is left out.
        match fs::metadata(entry.path()) {
            Ok(there) if there.is_dir() => directories.push(format!("{name}/")),
            Ok(_) => files.push(name),
            Err(_) => {}
        }
    }
    directories.sort_by_key(|name| name.to_lowercase());
    files.sort_by_key(|name| name.to_lowercase());
    directories.extend(files);
    directories
}

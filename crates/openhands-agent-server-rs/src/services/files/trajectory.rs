//! The directory of a conversation as a zip, without credentials.

use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::Stream;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::archive::walk::{Root, walk};
use super::pipe::{Attendance, piped};
use super::{FileError, Files, redact};

/// What holds credentials of other agents.
const PRIVATE: &str = "acp";

/// JSON that is larger cannot be looked through for credentials, and stays out.
const MAX_JSON_BYTES: u64 = 256 << 20;

impl Files {
    /// The zip of a conversation's directory, whose name is that of the directory.
    pub(crate) async fn trajectory(
        &self,
        directory: PathBuf,
    ) -> Result<impl Stream<Item = io::Result<Bytes>> + Send + 'static, FileError> {
        let is_there = tokio::fs::metadata(&directory)
            .await
            .is_ok_and(|there| there.is_dir());
        if !is_there {
            return Err(FileError::NotFound("Conversation not found"));
        }
        let place = Arc::clone(&self.archives).acquire_owned().await.ok();
        Ok(piped(place, move |pipe| {
            let top = PathBuf::from(directory.file_name().unwrap_or_default());
            let attendance = pipe.attendance();
            let mut zip = ZipWriter::new_stream(pipe);
            add_all(&mut zip, &attendance, &Root::open(&directory)?, &top)?;
            zip.finish().map_err(io::Error::from)?;
            Ok(())
        }))
    }
}

fn add_all<W: Write + io::Seek>(
    zip: &mut ZipWriter<W>,
    attendance: &Attendance,
    root: &Root,
    top: &Path,
) -> io::Result<()> {
    walk(root, |path, metadata, entries| {
        let options = options(metadata);
        zip.add_directory(member(&top.join(path)), options)?;
        if path.as_os_str().is_empty() {
            entries.directories.retain(|name| name != PRIVATE);
        }
        for name in &entries.files {
            let path = path.join(name);
            // Being written at this moment; what it will replace is there.
            if path.extension().is_some_and(|extension| extension == "tmp") {
                continue;
            }
            add_file(zip, attendance, root, top, &path)?;
        }
        Ok(())
    })
}

/// The conversation may be at work: what has gone since the listing is passed over.
fn add_file<W: Write + io::Seek>(
    zip: &mut ZipWriter<W>,
    attendance: &Attendance,
    root: &Root,
    top: &Path,
    path: &Path,
) -> io::Result<()> {
    let Ok((file, metadata)) = root.file(path) else {
        return Ok(());
    };
    let options = options(&metadata).large_file(metadata.len() > u64::from(u32::MAX) / 2);
    let name = member(&top.join(path));
    if !redact::concerns(path) {
        zip.start_file(name, options)?;
        return io::copy(&mut attendance.of(file), zip).map(drop);
    }
    if metadata.len() > MAX_JSON_BYTES {
        tracing::warn!(path = name, "a file is too large for a trajectory");
        return Ok(());
    }
    let mut content = Vec::new();
    file.take(MAX_JSON_BYTES).read_to_end(&mut content)?;
    zip.start_file(name, options)?;
    zip.write_all(&redact::redacted(content, path))
}

fn member(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn options(metadata: &std::fs::Metadata) -> SimpleFileOptions {
    use std::os::unix::fs::MetadataExt as _;
    SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .unix_permissions(metadata.mode() & 0o777)
        .last_modified_time(modified(metadata).unwrap_or_default())
}

/// A zip knows local times from 1980 on; ours are UTC.
pub(crate) fn modified(metadata: &std::fs::Metadata) -> Option<DateTime> {
    let time = jiff::Timestamp::try_from(metadata.modified().ok()?).ok()?;
    let t = jiff::tz::TimeZone::UTC.to_datetime(time);
    let small = |number: i8| u8::try_from(number).ok();
    DateTime::from_date_and_time(
        u16::try_from(t.year()).ok()?,
        small(t.month())?,
        small(t.day())?,
        small(t.hour())?,
        small(t.minute())?,
        small(t.second())?,
    )
    .ok()
}

//! All files of a directory as a `tar.gz`.

use std::fs::Metadata;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::Stream;
use openhands_protocol::files::ArchiveManifest;
use openhands_protocol::{Extra, Form};
use tar::{Builder, EntryType, Header, HeaderMode};
use tokio::sync::OwnedSemaphorePermit;

use super::excludes::Excludes;
use super::walk::{Root, walk};
use crate::services::files::pipe::{Attendance, piped};

/// What tells about the archive inside of it.
const MANIFEST: &str = "archive_manifest.json";

/// The archive of `root`, whose members are below `name`.
pub(super) fn stream(
    root: PathBuf,
    name: String,
    excludes: Excludes,
    place: Option<OwnedSemaphorePermit>,
) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    piped(place, move |pipe| {
        // A file system's root has no name.
        let name = if name.is_empty() { "root" } else { &name };
        let attendance = pipe.attendance();
        let packed = GzEncoder::new(pipe, Compression::default());
        let mut tarball = Tarball {
            builder: Builder::new(packed),
            attendance,
            name: PathBuf::from(name),
            file_count: 0,
            total_bytes: 0,
            has_manifest: false,
        };
        tarball.add_all(&Root::open(&root)?, &excludes)?;
        if !tarball.has_manifest {
            tarball.add_manifest(name, &excludes)?;
        }
        tarball.builder.into_inner()?.finish()?;
        Ok(())
    })
}

struct Tarball<W: Write> {
    builder: Builder<W>,
    attendance: Attendance,
    name: PathBuf,
    file_count: u64,
    total_bytes: u64,
    /// Somebody has a file where ours would be; theirs counts.
    has_manifest: bool,
}

impl<W: Write> Tarball<W> {
    fn add_all(&mut self, root: &Root, excludes: &Excludes) -> io::Result<()> {
        walk(root, |path, metadata, entries| {
            self.add_directory(path, metadata)?;
            entries
                .directories
                .retain(|name| !excludes.leave_out(&path.join(name), true));
            for name in &entries.files {
                let path = path.join(name);
                if !excludes.leave_out(&path, false) {
                    self.add_file(root, &path)?;
                }
            }
            Ok(())
        })
    }

    /// Directories are members of their own, so that empty ones are not lost.
    fn add_directory(&mut self, path: &Path, metadata: &Metadata) -> io::Result<()> {
        let mut header = header(metadata, EntryType::Directory, 0);
        self.builder
            .append_data(&mut header, self.name.join(path), io::empty())
    }

    /// A file that cannot be read is left out: the directory may be changing.
    fn add_file(&mut self, root: &Root, path: &Path) -> io::Result<()> {
        let (file, metadata) = match root.file(path) {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "a file is left out of an archive");
                return Ok(());
            }
        };
        let size = metadata.len();
        let mut header = header(&metadata, EntryType::Regular, size);
        let exactly = self.attendance.of(file.chain(io::repeat(0)).take(size));
        self.builder
            .append_data(&mut header, self.name.join(path), exactly)?;
        self.file_count += 1;
        self.total_bytes += size;
        self.has_manifest |= path == Path::new(MANIFEST);
        Ok(())
    }

    fn add_manifest(&mut self, name: &str, excludes: &Excludes) -> io::Result<()> {
        let manifest = ArchiveManifest {
            excludes: excludes.patterns().to_vec(),
            file_count: self.file_count,
            format: "tar.gz".to_owned(),
            source: name.to_owned(),
            total_bytes: self.total_bytes,
            extra: Extra::EMPTY,
        };
        let value = Form::REST.to_value(&manifest)?;
        let text = serde_json::to_vec_pretty(&value)?;
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(0o644);
        header.set_size(text.len() as u64);
        self.builder
            .append_data(&mut header, self.name.join(MANIFEST), text.as_slice())
    }
}

/// The size is that of the open file; what is read is made to fit it, so that a file that shrinks or grows meanwhile does
/// not shift what comes after it.
fn header(metadata: &Metadata, kind: EntryType, size: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_metadata_in_mode(metadata, HeaderMode::Complete);
    header.set_entry_type(kind);
    header.set_size(size);
    header
}

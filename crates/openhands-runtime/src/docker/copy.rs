//! Files into and out of a container, mounted or not.

use std::io;
use std::path::{Path, PathBuf};

use bollard::query_parameters::{
    DownloadFromContainerOptionsBuilder, UploadToContainerOptionsBuilder,
};
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use tokio::io::AsyncWriteExt as _;
use tokio_util::io::ReaderStream;

use super::error::{DockerError, told};
use super::sandbox::DockerSandbox;

impl DockerSandbox {
    /// Copies a file or a directory of this machine into a directory of the container, which must be there. The copy
    /// belongs to the user inside.
    pub async fn copy_in(&self, source: &Path, directory: &Path) -> Result<(), DockerError> {
        let from = source.to_owned();
        let user = self.user().and_then(numbers);
        let packed = tokio::task::spawn_blocking(move || pack(&from, user)).await;
        let packed = unless_stopped(packed).map_err(|error| file("packing", source, error))?;
        let options = UploadToContainerOptionsBuilder::new()
            .path(&directory.to_string_lossy())
            .build();
        let engine = self.docker().engine();
        let copied = engine.upload_to_container(
            self.id(),
            Some(options),
            bollard::body_stream(stream_of(packed)),
        );
        copied
            .await
            .map_err(|error| refused("copying into the container's", directory, &error))
    }

    /// Copies a file or a directory of the container into a directory of this machine.
    pub async fn copy_out(&self, source: &Path, directory: &Path) -> Result<(), DockerError> {
        let options = DownloadFromContainerOptionsBuilder::new()
            .path(&source.to_string_lossy())
            .build();
        let engine = self.docker().engine();
        let mut parts = Box::pin(engine.download_from_container(self.id(), Some(options)));
        let packed = tempfile::tempfile().map_err(|error| file("keeping", source, error))?;
        let mut archive = tokio::fs::File::from_std(packed);
        while let Some(part) = parts.next().await {
            let part: Bytes =
                part.map_err(|error| refused("copying the container's", source, &error))?;
            archive
                .write_all(&part)
                .await
                .map_err(|error| file("keeping", source, error))?;
        }
        archive
            .flush()
            .await
            .map_err(|error| file("keeping", source, error))?;
        let packed = archive.into_std().await;
        let to = directory.to_owned();
        let unpacked = tokio::task::spawn_blocking(move || unpack(packed, &to)).await;
        unless_stopped(unpacked).map_err(|error| file("unpacking into", directory, error))
    }
}

/// An archive, part by part.
pub(super) fn stream_of(packed: std::fs::File) -> impl Stream<Item = Bytes> + Send + 'static {
    ReaderStream::with_capacity(tokio::fs::File::from_std(packed), 1 << 16)
        // A file that cannot be read any more ends the archive early, which the engine refuses.
        .take_while(|part| std::future::ready(part.is_ok()))
        .map(Result::unwrap_or_default)
}

/// Packs a file or a directory under its own name.
fn pack(source: &Path, user: Option<(u64, u64)>) -> io::Result<std::fs::File> {
    use std::io::Seek as _;

    let name = source
        .file_name()
        .map(PathBuf::from)
        .ok_or_else(|| io::Error::other("it has no name"))?;
    let mut archive = tar::Builder::new(tempfile::tempfile()?);
    archive.follow_symlinks(false);
    add(&mut archive, source, &name, user)?;
    let mut packed = archive.into_inner()?;
    packed.rewind()?;
    Ok(packed)
}

/// Adds a file, a link, or a directory with all that is in it.
fn add(
    archive: &mut tar::Builder<std::fs::File>,
    source: &Path,
    name: &Path,
    user: Option<(u64, u64)>,
) -> io::Result<()> {
    append(archive, source, name, user)?;
    if std::fs::symlink_metadata(source)?.is_dir() {
        for entry in std::fs::read_dir(source)? {
            let entry = entry?;
            add(archive, &entry.path(), &name.join(entry.file_name()), user)?;
        }
    }
    Ok(())
}

/// Adds a file, a link, or a directory without what is in it. Sockets and devices are left out.
pub(super) fn append(
    archive: &mut tar::Builder<std::fs::File>,
    source: &Path,
    name: &Path,
    user: Option<(u64, u64)>,
) -> io::Result<()> {
    let metadata = std::fs::symlink_metadata(source)?;
    let mut header = tar::Header::new_gnu();
    header.set_metadata(&metadata);
    if let Some((uid, gid)) = user {
        header.set_uid(uid);
        header.set_gid(gid);
    }
    if metadata.is_symlink() {
        header.set_size(0);
        archive.append_link(&mut header, name, std::fs::read_link(source)?)
    } else if metadata.is_dir() {
        header.set_size(0);
        archive.append_data(&mut header, name, io::empty())
    } else if metadata.is_file() {
        let content = io::Read::take(std::fs::File::open(source)?, metadata.len());
        archive.append_data(&mut header, name, content)
    } else {
        Ok(())
    }
}

/// Unpacks below a directory; the library refuses names that lead out of it.
fn unpack(mut packed: std::fs::File, directory: &Path) -> io::Result<()> {
    use std::io::Seek as _;

    packed.rewind()?;
    let mut archive = tar::Archive::new(packed);
    archive.set_preserve_permissions(true);
    archive.set_overwrite(true);
    archive.unpack(directory)
}

/// The numbers of a user as in `1000:1000`.
fn numbers(user: &str) -> Option<(u64, u64)> {
    let (uid, gid) = user.split_once(':').unwrap_or((user, user));
    Some((uid.parse().ok()?, gid.parse().ok()?))
}

pub(super) fn unless_stopped<T>(
    outcome: Result<io::Result<T>, tokio::task::JoinError>,
) -> io::Result<T> {
    outcome.unwrap_or_else(|error| Err(io::Error::other(error)))
}

/// What the engine says, with the path that it is about: not every engine names it.
fn refused(action: &'static str, path: &Path, error: &bollard::errors::Error) -> DockerError {
    file(action, path, io::Error::other(told(error)))
}

fn file(action: &'static str, path: &Path, source: io::Error) -> DockerError {
    DockerError::File {
        action,
        path: path.to_owned(),
        source,
    }
}

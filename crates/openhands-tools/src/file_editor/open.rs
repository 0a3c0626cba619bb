//! Reading a file as text, if it is one and not too large.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use super::binary::is_binary;
use super::charset::Charset;
use super::document::Document;

/// The largest file that is read or edited.
pub const MAX_FILE_BYTES: u64 = 10 << 20;

/// Why a file is not opened as text.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error("{}", crate::safe_write::os_error_text(.0, None))]
    Io(io::Error),
    /// A pipe or a device could block for ever or never end.
    #[error("It is neither a regular file nor a directory.")]
    Special,
    #[error(
        "File is too large ({}MB). Maximum allowed size is {}MB.",
        megabytes(*.bytes), MAX_FILE_BYTES >> 20
    )]
    TooLarge { bytes: u64 },
    #[error("File appears to be binary and this file type cannot be read or edited by this tool.")]
    Binary,
}

fn megabytes(bytes: u64) -> String {
    // One decimal of a size near the limit needs no more than this precision.
    #[allow(clippy::cast_precision_loss)]
    let size = bytes as f64 / 1024.0 / 1024.0;
    format!("{size:.1}")
}

/// Refuses what is beyond the limit.
pub(super) fn check_size(bytes: u64) -> Result<(), OpenError> {
    if bytes > MAX_FILE_BYTES {
        return Err(OpenError::TooLarge { bytes });
    }
    Ok(())
}

/// The text file at `file`. `known` is its character set, if it was read before.
pub(crate) fn open_document(file: &Path, known: Option<Charset>) -> Result<Document, OpenError> {
    let metadata = fs::metadata(file).map_err(OpenError::Io)?;
    if !metadata.is_file() {
        return Err(OpenError::Special);
    }
    check_size(metadata.len())?;
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
    // Some files (those of `/proc`) are longer than they say.
    let read = File::open(file)
        .and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(OpenError::Io)?;
    check_size(u64::try_from(read).unwrap_or(u64::MAX))?;
    let document = Document::read(bytes, known);
    if is_binary(&document) {
        return Err(OpenError::Binary);
    }
    Ok(document)
}

//! What can go wrong with what is kept.

use std::io;

/// Why something that is kept could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// Somebody else held the lock for too long.
    #[error("{0} is busy. Please retry.")]
    Busy(&'static str),
    /// There is nothing of this name.
    #[error("{0}")]
    NotFound(String),
    /// The name is taken.
    #[error("{0}")]
    Exists(String),
    /// There are too many, or something still needs it.
    #[error("{0}")]
    Conflict(String),
    /// What is kept under this name cannot be used.
    #[error("{0}")]
    Unreadable(String),
    /// It points at something that is not there.
    #[error("{0}")]
    Dangling(String),
    /// The new value does not fit. What exactly is not said, for the value may hold secrets.
    #[error("Settings validation failed")]
    Invalid,
    /// The file is broken, or sealed with a key that is not known. Writing would lose what is in it.
    #[error(
        "{0} file is corrupted or encrypted with a different key: \
         restore that key as OH_SECRET_KEY or add it to OH_PREVIOUS_SECRET_KEYS"
    )]
    Corrupt(&'static str),
    /// There is no key to seal secrets with.
    #[error(
        "Encryption not available: OH_SECRET_KEY is not configured. Cannot return encrypted secrets."
    )]
    NoKey,
    /// The disk failed.
    #[error("{0}")]
    Io(#[from] io::Error),
}

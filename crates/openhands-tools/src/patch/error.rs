//! What can be wrong with a patch.

/// A patch that cannot be applied. Nothing has been written. The texts are known to clients and models.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    #[error("Invalid patch: must start with '*** Begin Patch'")]
    NoBeginning,
    #[error("Invalid patch text")]
    NotAPatch,
    #[error("Unexpected end of patch at index {0}")]
    UnexpectedEnd(usize),
    #[error("Unknown Line: {0}")]
    UnknownLine(String),
    #[error("Invalid Line: {0}")]
    InvalidLine(String),
    #[error("Invalid Line:\n{0}")]
    MissingHeader(String),
    #[error("Invalid Add File Line: {0}")]
    InvalidAddLine(String),
    #[error("Nothing in this section - index={index} {line}")]
    EmptySection { index: usize, line: String },
    #[error("Invalid Context {start}:\n{context}")]
    ContextNotFound { start: usize, context: String },
    #[error("Invalid EOF Context {start}:\n{context}")]
    EndContextNotFound { start: usize, context: String },
    #[error("_get_updated_file: {path}: orig_index {reached} > chunk.orig_index {at}")]
    Overlap {
        path: String,
        reached: usize,
        at: usize,
    },
    #[error("{section} File Error: Duplicate Path: {path}")]
    DuplicatePath { section: &'static str, path: String },
    // compat: the reference names deletion also where an update's file is missing.
    #[error("Delete File Error: Missing File: {0}")]
    MissingFile(String),
    #[error(
        "Update File Error: Invalid move path '{0}': must be a relative path without '..' components"
    )]
    InvalidMovePath(String),
    #[error("Absolute or escaping paths are not allowed")]
    OutsideWorkspace,
}

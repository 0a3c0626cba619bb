//! The file editor: view, create, replace, insert and undo. [`FileEditor`] is the engine and knows nothing of tools or of
//! JSON; `tool` and `arguments` make the `file_editor` tool of it.
//!
//! An edit changes the bytes it is asked to change and no others: line endings, character set, byte order mark,
//! mode, owner and links of a file survive it.

mod arguments;
mod binary;
mod charset;
mod command;
mod cursor;
mod document;
mod editor;
mod error;
mod history;
mod listing;
mod open;
mod search;
mod tool;
mod units;
mod view;

pub use charset::Charset;
pub use command::{Command, Dialect, Outcome, Request};
pub use document::{Document, SpliceError};
pub use editor::FileEditor;
pub use error::EditorError;
pub use open::MAX_FILE_BYTES;
pub use tool::{FileEditorExecutor, FileEditorTool, registration};

pub(crate) use arguments::{read as read_arguments, schema};
pub(crate) use document::with_plain_breaks;
pub(crate) use open::{OpenError, open_document};
pub(crate) use search::occurrences;
pub(crate) use tool::{DESCRIPTION, run};

/// The tool's name.
pub const NAME: &str = "file_editor";

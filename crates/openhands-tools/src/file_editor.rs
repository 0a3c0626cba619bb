//! The file editor: view, create, replace, insert and undo, as an engine that knows nothing of tools or of JSON.
//!
//! An edit changes the bytes it is asked to change and no others: line endings, character set, byte order mark,
//! mode, owner and links of a file survive it.

mod binary;
mod charset;
mod command;
mod document;
mod editor;
mod error;
mod history;
mod listing;
mod search;
mod units;
mod view;

pub use charset::Charset;
pub use command::{Command, Dialect, Outcome, Request};
pub use document::{Document, SpliceError};
pub use editor::{FileEditor, MAX_FILE_BYTES};
pub use error::EditorError;

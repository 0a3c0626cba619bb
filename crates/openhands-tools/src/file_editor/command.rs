//! What a caller can ask of the file editor, and what it gets back.

pub use openhands_protocol::tool::FileEditorCommand as Command;

/// One command with whatever parameters came with it. Which of them a command needs is checked after the
/// path, because that is the order in which clients know the errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub command: Command,
    pub path: String,
    pub file_text: Option<String>,
    pub old_str: Option<String>,
    pub new_str: Option<String>,
    pub insert_line: Option<i64>,
    pub view_range: Option<Vec<i64>>,
}

impl Request {
    /// A command without parameters.
    pub fn new(command: Command, path: impl Into<String>) -> Self {
        Self {
            command,
            path: path.into(),
            file_text: None,
            old_str: None,
            new_str: None,
            insert_line: None,
            view_range: None,
        }
    }
}

/// What a command did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// For the model.
    pub text: String,
    /// A viewed image as a data URL.
    pub image_url: Option<String>,
    /// The path as it is shown.
    pub path: String,
    /// False only for a created file.
    pub existed: bool,
    /// The text before and after an edit, with `\n` line breaks.
    pub old_content: Option<String>,
    pub new_content: Option<String>,
}

impl Outcome {
    pub(super) fn shown(path: &str, text: String) -> Self {
        Self {
            text,
            image_url: None,
            path: path.to_owned(),
            existed: true,
            old_content: None,
            new_content: None,
        }
    }
}

/// Whose texts to speak: the two generations of the API differ in a few places.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Dialect {
    #[default]
    V1,
    /// The older one numbers the empty line after a final line break, explains absolute paths, and shows no images.
    V0,
}

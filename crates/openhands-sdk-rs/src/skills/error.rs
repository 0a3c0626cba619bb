//! Why a file is no skill.

use openhands_runtime::WorkspaceError;

/// Why a file is no skill. It is reported and skipped; the others load.
#[derive(Debug, thiserror::Error)]
pub enum SkillError {
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] WorkspaceError),
    /// The file is larger than any skill should be.
    #[error("the file has {size} bytes, more than the {limit} that a skill may have")]
    TooLarge {
        /// Its size.
        size: usize,
        /// The limit.
        limit: usize,
    },
    /// The file is no text.
    #[error("the file is not valid UTF-8")]
    NotText,
    /// The head of the file is no YAML.
    #[error("the front matter is not valid YAML: {0}")]
    FrontMatter(String),
    /// The name breaks the rules for SKILL.md files.
    #[error("invalid skill name '{name}': {rule}")]
    Name {
        /// The name.
        name: String,
        /// The rule that it breaks.
        rule: String,
    },
    /// A field has the wrong type.
    #[error("'{field}' must be {expected}")]
    Field {
        /// Which field.
        field: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// The servers that come with the skill cannot be used.
    #[error("invalid MCP configuration: {0}")]
    Mcp(String),
}

//! The files that an agent may bring for its prompt.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use openhands_protocol::agent::Agent;

use crate::prompt::{DEFAULT_POLICY, DEFAULT_PROMPT, PLANNING_PROMPT};

/// The largest file that is taken for a prompt.
const MAX_FILE_BYTES: u64 = 256 << 10;
/// How many files beside a template it can include.
const MAX_SIBLINGS: usize = 64;
/// What files that a template can include are called.
const EXTENSIONS: [&str; 5] = ["j2", "jinja", "jinja2", "md", "txt"];

/// What was read for an agent's prompt. Nothing, for an agent that uses the built-in texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromptFiles {
    /// The agent's own template.
    pub(crate) template: Option<TemplateFiles>,
    /// The agent's own security policy, taken as it is.
    pub(crate) policy: Option<String>,
}

/// A template, and what it can include.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TemplateFiles {
    /// The name of the template.
    pub(crate) name: String,
    /// All files of its directory by name, itself among them.
    pub(crate) sources: BTreeMap<String, String>,
}

/// Why there is no prompt.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    /// An inline prompt and a file exclude each other.
    #[error(
        "Cannot set both 'system_prompt' and a non-default 'system_prompt_filename'. Use one or the other."
    )]
    Both,
    /// There is no such file.
    #[error("Prompt file {} not found", .0.display())]
    NotFound(PathBuf),
    /// A name that is neither built in nor an absolute path.
    #[error("Prompt file {} not found: a file of your own must be given by its absolute path", .0.display())]
    Relative(PathBuf),
    /// The file cannot be used.
    #[error("cannot read prompt file {}: {source}", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The template is wrong.
    #[error("prompt file {name}: {problem}")]
    Template {
        /// Which file.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
}

impl PromptFiles {
    /// Reads what the agent's settings name.
    pub async fn read(agent: &Agent) -> Result<Self, PromptError> {
        if agent.system_prompt.is_some() {
            return Ok(Self::default());
        }
        let template = match agent.system_prompt_filename.as_str() {
            DEFAULT_PROMPT => None,
            // The prompt of a planning agent has no policy.
            PLANNING_PROMPT => return Ok(Self::default()),
            path => Some(template(absolute(path)?).await?),
        };
        let policy = match agent.security_policy_filename.as_str() {
            "" | DEFAULT_POLICY => None,
            // A template of one's own says itself what it includes.
            _ if template.is_some() => None,
            path => Some(text(absolute(path)?).await?),
        };
        Ok(Self { template, policy })
    }
}

/// The text of SOUL.md in the persistence directory: the user's words on who the agent is. None if there are none; one
/// that cannot be read is no reason not to start.
pub async fn read_soul(persistence: &Path) -> Option<String> {
    let path = persistence.join("SOUL.md");
    match text(&path).await {
        Ok(soul) => Some(soul.trim().to_owned()).filter(|soul| !soul.is_empty()),
        Err(PromptError::NotFound(_)) => None,
        Err(error) => {
            tracing::warn!(%error, "SOUL.md skipped");
            None
        }
    }
}

fn absolute(path: &str) -> Result<&Path, PromptError> {
    let path = Path::new(path);
    if path.is_absolute() {
        Ok(path)
    } else {
        Err(PromptError::Relative(path.to_owned()))
    }
}

async fn template(path: &Path) -> Result<TemplateFiles, PromptError> {
    let mut files = TemplateFiles {
        name: name_of(path),
        sources: BTreeMap::new(),
    };
    files.sources.insert(files.name.clone(), text(path).await?);
    let Some(directory) = path.parent() else {
        return Ok(files);
    };
    let failed = |source| PromptError::Unreadable {
        path: directory.to_owned(),
        source,
    };
    let mut entries = tokio::fs::read_dir(directory).await.map_err(failed)?;
    while let Some(entry) = entries.next_entry().await.map_err(failed)? {
        let sibling = entry.path();
        let is_template = sibling
            .extension()
            .is_some_and(|extension| EXTENSIONS.iter().any(|known| extension == *known));
        if !is_template || files.sources.contains_key(&name_of(&sibling)) {
            continue;
        }
        if files.sources.len() > MAX_SIBLINGS {
            break;
        }
        // One that cannot be read matters only to a template that includes it, which then says so.
        if let Ok(source) = text(&sibling).await {
            files.sources.insert(name_of(&sibling), source);
        }
    }
    Ok(files)
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

async fn text(path: &Path) -> Result<String, PromptError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => PromptError::NotFound(path.to_owned()),
        _ => PromptError::Unreadable {
            path: path.to_owned(),
            source,
        },
    };
    let meta = tokio::fs::metadata(path).await.map_err(failed)?;
    if !meta.is_file() {
        return Err(PromptError::NotFound(path.to_owned()));
    }
    if meta.len() > MAX_FILE_BYTES {
        let size = meta.len();
        return Err(failed(io::Error::other(format!(
            "{size} bytes are too many, {MAX_FILE_BYTES} is the limit"
        ))));
    }
    tokio::fs::read_to_string(path).await.map_err(failed)
}

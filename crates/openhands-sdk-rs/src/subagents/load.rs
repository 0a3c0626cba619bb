//! Where sub-agents are found: built in, in the project, with the user.

use std::path::{Path, PathBuf};

use openhands_protocol::agent::{AgentDefinition, AgentLevel};
use openhands_runtime::{EntryKind, LocalWorkspace, Workspace};

use crate::subagents::definition_file::read_definition;

/// Where a project keeps them, first to last.
const PROJECT_DIRECTORIES: [&str; 2] = [".agents/agents", ".openhands/agents"];

/// Files that explain a directory and are no sub-agents.
const SKIPPED: [&str; 2] = ["README.md", "readme.md"];

/// The files of the built-in ones.
const BUILTIN: [(&str, &str); 4] = [
    ("bash-runner", include_str!("builtin/bash_runner.md")),
    ("code-explorer", include_str!("builtin/code_explorer.md")),
    (
        "general-purpose",
        include_str!("builtin/general_purpose.md"),
    ),
    ("web-researcher", include_str!("builtin/web_researcher.md")),
];

/// The built-in sub-agents whose tools can be used here.
pub fn builtin_definitions(is_usable: impl Fn(&str) -> bool) -> Vec<AgentDefinition> {
    BUILTIN
        .iter()
        .filter_map(|(name, text)| match read_definition(text, name) {
            Ok(definition) => Some(AgentDefinition {
                level: Some(AgentLevel::Builtin),
                ..definition
            }),
            Err(error) => {
                tracing::error!(%error, name, "a built-in sub-agent cannot be read");
                None
            }
        })
        .filter(|definition| definition.tools.iter().all(|tool| is_usable(tool)))
        .collect()
}

/// The sub-agents of a project, from the machine on which the tools run. The first of a name wins.
pub async fn project_definitions(workspace: &dyn Workspace) -> Vec<AgentDefinition> {
    let directories = PROJECT_DIRECTORIES.map(|below| workspace.root().join(below));
    from_directories(workspace, &directories, &AgentLevel::Project).await
}

/// The user's own, from `.agents/agents` in the home directory and `agents` in the persistence directory. The first of a
/// name wins.
pub async fn user_definitions(
    home: Option<&Path>,
    persistence: Option<&Path>,
) -> Vec<AgentDefinition> {
    let home = home.map(|home| home.join(".agents/agents"));
    let persistence = persistence.map(|directory| directory.join("agents"));
    let directories: Vec<PathBuf> = home.into_iter().chain(persistence).collect();
    let machine = LocalWorkspace::new("/", &[]);
    from_directories(&machine, &directories, &AgentLevel::User).await
}

async fn from_directories(
    workspace: &dyn Workspace,
    directories: &[PathBuf],
    level: &AgentLevel,
) -> Vec<AgentDefinition> {
    let mut found: Vec<AgentDefinition> = Vec::new();
    for directory in directories {
        for definition in from_directory(workspace, directory, level).await {
            if !found.iter().any(|known| known.name == definition.name) {
                found.push(definition);
            }
        }
    }
    found
}

/// The Markdown files of one directory. One that is no sub-agent is reported and skipped.
async fn from_directory(
    workspace: &dyn Workspace,
    directory: &Path,
    level: &AgentLevel,
) -> Vec<AgentDefinition> {
    let mut definitions = Vec::new();
    // Most projects have no such directory.
    let Ok(entries) = workspace.list(directory).await else {
        return definitions;
    };
    for entry in entries {
        let path = directory.join(&entry.name);
        let is_markdown = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
        if entry.kind != EntryKind::File || !is_markdown || SKIPPED.contains(&entry.name.as_str()) {
            continue;
        }
        match read(workspace, &path).await {
            Ok(definition) => definitions.push(AgentDefinition {
                level: Some(level.clone()),
                ..definition
            }),
            Err(reason) => {
                tracing::warn!(path = %path.display(), reason, "a sub-agent cannot be read");
            }
        }
    }
    definitions
}

async fn read(workspace: &dyn Workspace, path: &Path) -> Result<AgentDefinition, String> {
    let bytes = workspace
        .read(path)
        .await
        .map_err(|error| error.to_string())?;
    let text = std::str::from_utf8(&bytes).map_err(|error| error.to_string())?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let definition = read_definition(text, &stem).map_err(|error| error.to_string())?;
    Ok(AgentDefinition {
        source: Some(path.to_string_lossy().into_owned()),
        ..definition
    })
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;

//! The skills of a plugin: its own, and its commands as skills that a slash calls.

use std::path::Path;

use openhands_protocol::skills::{KeywordTrigger, Skill, SkillTrigger};
use openhands_runtime::{LocalWorkspace, Workspace};
use serde_json::Value;

use crate::skills::directory;
use crate::skills::error::SkillError;
use crate::skills::files;
use crate::skills::frontmatter;
use crate::skills::loaded::Loaded;

/// Where a plugin says its name; without it, it is called as its directory.
const MANIFESTS: [&str; 3] = [
    ".plugin/plugin.json",
    ".claude-plugin/plugin.json",
    "plugin.json",
];

/// Loads all skills of the plugin in a directory.
pub(super) async fn load(root: &Path) -> Loaded {
    let workspace = LocalWorkspace::new(root, &[]);
    let mut loaded = Loaded::default();
    let skills = root.join("skills");
    loaded.append(directory::load(&workspace, &skills, &skills, &[]).await);
    let plugin = name_of(&workspace, root).await;
    let commands = root.join("commands");
    let entries = files::entries(&workspace, &commands, &mut loaded).await;
    for file in files::file_names(&entries) {
        let Some(name) = file.strip_suffix(".md").filter(|name| *name != "README") else {
            continue;
        };
        let path = commands.join(file);
        match command(&workspace, &path, &plugin, name).await {
            Ok(skill) => {
                loaded.add(skill);
            }
            Err(error) => loaded.warn(&path, error),
        }
    }
    loaded
}

async fn name_of(workspace: &dyn Workspace, root: &Path) -> String {
    for manifest in MANIFESTS {
        let Ok(Some(text)) = files::text_if_there(workspace, Path::new(manifest)).await else {
            continue;
        };
        let manifest: Value = serde_json::from_str(&text).unwrap_or_default();
        if let Some(name) = manifest.get("name").and_then(Value::as_str) {
            return name.to_owned();
        }
    }
    root.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// A command as a skill that `/<plugin>:<command>` brings up.
async fn command(
    workspace: &dyn Workspace,
    path: &Path,
    plugin: &str,
    name: &str,
) -> Result<Skill, SkillError> {
    let text = files::text(workspace, path).await?;
    let document = frontmatter::split(&text)?;
    let field = |names: [&str; 2]| {
        names
            .iter()
            .find_map(|name| document.head.get(*name).filter(|value| !value.is_null()))
    };
    let description = field(["description"; 2]).map(words).unwrap_or_default();
    let mut parts = Vec::new();
    if !description.is_empty() {
        parts.push(format!("## {name}\n\n{description}\n"));
    }
    if let Some(hint) = field(["argument-hint", "argumentHint"]).map(words) {
        parts.push(format!("**Arguments**: `$ARGUMENTS` - {hint}\n"));
    }
    let body = document.body.trim();
    if !body.is_empty() {
        parts.push(format!("\n{body}"));
    }
    let allowed = field(["allowed-tools", "allowedTools"]).map(|value| match value {
        Value::Array(items) => items.iter().map(words).collect(),
        other => vec![words(other)],
    });
    Ok(Skill {
        name: format!("{plugin}:{name}"),
        content: parts.join("\n").trim().to_owned(),
        description: Some(if description.is_empty() {
            format!("Command {name} from {plugin}")
        } else {
            description
        }),
        trigger: Some(SkillTrigger::Keyword(KeywordTrigger {
            keywords: vec![format!("/{plugin}:{name}")],
            ..KeywordTrigger::default()
        })),
        source: Some(path.display().to_string()),
        allowed_tools: allowed.filter(|tools: &Vec<String>| !tools.is_empty()),
        ..Skill::default()
    })
}

/// A text, or several with spaces between them.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(words).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

//! A directory of skills: `<name>/SKILL.md` directories and plain Markdown files.

use std::path::{Path, PathBuf};

use openhands_protocol::skills::Skill;
use openhands_runtime::{Entry, EntryKind, Workspace};

use crate::skills::compose::{Composed, Parts, compose, scalar};
use crate::skills::error::SkillError;
use crate::skills::files::{self, MAX_DEPTH, MAX_DIRECTORIES, MAX_FILES};
use crate::skills::frontmatter;
use crate::skills::loaded::Loaded;
use crate::skills::mcp_servers;
use crate::skills::resources;
use crate::skills::third_party;

/// The longest name of a SKILL.md skill.
const MAX_NAME_CHARS: usize = 64;

/// Loads everything below `directory`. Files that are always on come first, then those with triggers, then SKILL.md
/// directories. Plain files are named by their path from `base`, unless they name themselves. `except` is left out.
pub(crate) async fn load(
    workspace: &dyn Workspace,
    directory: &Path,
    base: &Path,
    except: &[PathBuf],
) -> Loaded {
    let mut loaded = Loaded::default();
    let mut agentskills = Vec::new();
    let mut left_out = except.to_vec();
    let entries = files::entries(workspace, directory, &mut loaded).await;
    for name in files::directory_names(&entries) {
        let root = directory.join(name);
        if except.contains(&root) {
            continue;
        }
        let inside = files::entries(workspace, &root, &mut loaded).await;
        let Some(file) = files::file_names(&inside).find(|name| is_skill_md(name)) else {
            continue;
        };
        agentskills.push((root.join(file), inside));
        left_out.push(root);
    }
    if agentskills.len() > MAX_FILES {
        loaded.warn(
            directory,
            format!("more than {MAX_FILES} skills: the rest is left out"),
        );
        agentskills.truncate(MAX_FILES);
    }
    let (mut always, mut triggered, mut disclosed) = (Vec::new(), Vec::new(), Vec::new());
    for path in markdown_files(workspace, directory, entries, &left_out, &mut loaded).await {
        if let Some(skill) = take(&path, legacy(workspace, &path, base).await, &mut loaded) {
            if is_second_view(&skill, &path, always.iter().chain(&triggered)) {
                continue;
            }
            if skill.trigger.is_none() {
                &mut always
            } else {
                &mut triggered
            }
            .push(skill);
        }
    }
    for (path, siblings) in agentskills {
        disclosed.extend(take(
            &path,
            skill_md(workspace, &path, &siblings).await,
            &mut loaded,
        ));
    }
    for skill in always.into_iter().chain(triggered).chain(disclosed) {
        let (name, source) = (skill.name.clone(), skill.source.clone().unwrap_or_default());
        if !loaded.add(skill) {
            loaded.warn(
                Path::new(&source),
                format!("this directory has another skill named '{name}'"),
            );
        }
    }
    loaded
}

/// One file, named relative to `base` unless its front matter names it.
pub(crate) async fn load_file(
    workspace: &dyn Workspace,
    path: &Path,
    base: &Path,
    loaded: &mut Loaded,
) -> Option<Skill> {
    let is_agentskill = path
        .file_name()
        .and_then(|name| name.to_str())
        .is_some_and(is_skill_md);
    let read = if is_agentskill {
        let root = path.parent().unwrap_or(base);
        let siblings = files::entries(workspace, root, loaded).await;
        skill_md(workspace, path, &siblings).await
    } else {
        legacy(workspace, path, base).await
    };
    take(path, read, loaded)
}

fn take(path: &Path, read: Result<Composed, SkillError>, loaded: &mut Loaded) -> Option<Skill> {
    match read {
        Ok(composed) => {
            if let Some(ignored) = composed.ignored {
                loaded.warn(path, ignored);
            }
            Some(composed.skill)
        }
        Err(error) => {
            loaded.warn(path, error);
            None
        }
    }
}

fn is_skill_md(name: &str) -> bool {
    name.eq_ignore_ascii_case("skill.md")
}

/// compat: `.MD` is no Markdown, and what is called README.md describes the directory.
fn is_markdown(name: &str) -> bool {
    let is_md = Path::new(name)
        .extension()
        .is_some_and(|extension| extension == "md");
    is_md && name != "README.md" && !is_skill_md(name)
}

/// The same file again, seen through a link to a directory above it.
fn is_second_view<'a>(
    skill: &Skill,
    path: &Path,
    mut seen: impl Iterator<Item = &'a Skill>,
) -> bool {
    seen.any(|other| {
        other.content == skill.content
            && other.trigger == skill.trigger
            && other
                .source
                .as_deref()
                .and_then(|source| Path::new(source).file_name())
                == path.file_name()
    })
}

/// Plain Markdown files below a directory, sorted, without what belongs to SKILL.md skills.
async fn markdown_files(
    workspace: &dyn Workspace,
    directory: &Path,
    entries: Vec<Entry>,
    left_out: &[PathBuf],
    loaded: &mut Loaded,
) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut listed = 0;
    // Kept in reverse, so that the end is what comes first.
    let mut waiting: Vec<(PathBuf, EntryKind, usize)> = below(directory, entries, 0).collect();
    while let Some((path, kind, depth)) = waiting.pop() {
        if found.len() >= MAX_FILES || listed >= MAX_DIRECTORIES {
            loaded.warn(directory, "too many files below it: the rest is left out");
            break;
        }
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        match kind {
            EntryKind::File if is_markdown(name) => found.push(path),
            EntryKind::Directory
                if depth < MAX_DEPTH
                    && name != ".git"
                    && name != "node_modules"
                    && !left_out.contains(&path) =>
            {
                listed += 1;
                let inside = files::entries(workspace, &path, loaded).await;
                waiting.extend(below(&path, inside, depth + 1));
            }
            EntryKind::File | EntryKind::Directory | EntryKind::Other => {}
        }
    }
    found
}

fn below(
    directory: &Path,
    entries: Vec<Entry>,
    depth: usize,
) -> impl Iterator<Item = (PathBuf, EntryKind, usize)> {
    entries
        .into_iter()
        .rev()
        .map(move |entry| (directory.join(entry.name), entry.kind, depth))
}

/// A plain Markdown file.
async fn legacy(
    workspace: &dyn Workspace,
    path: &Path,
    base: &Path,
) -> Result<Composed, SkillError> {
    let text = files::text(workspace, path).await?;
    if let Some(name) = third_party::name_of(path) {
        let skill = third_party::always_on(name, path, text);
        return Ok(Composed {
            skill,
            ignored: None,
        });
    }
    let document = frontmatter::split(&text)?;
    let derived = path.strip_prefix(base).unwrap_or(path).with_extension("");
    let parts = Parts {
        name: scalar(&document.head, "name")?.unwrap_or_else(|| derived.display().to_string()),
        content: document.body.to_owned(),
        source: path.display().to_string(),
        mcp_tools: mcp_servers::from_front_matter(&document.head)?,
        ..Parts::default()
    };
    compose(parts, &document.head)
}

/// A SKILL.md file, with what stands beside it.
async fn skill_md(
    workspace: &dyn Workspace,
    path: &Path,
    siblings: &[Entry],
) -> Result<Composed, SkillError> {
    let root = path.parent().unwrap_or(path);
    let directory = root
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let text = files::text(workspace, path).await?;
    let document = frontmatter::split(&text)?;
    let name = scalar(&document.head, "name")?.unwrap_or_else(|| directory.to_owned());
    check_name(&name, directory)?;
    let mcp_tools = if files::file_names(siblings).any(|name| name == ".mcp.json") {
        let json = files::text(workspace, &root.join(".mcp.json")).await?;
        Some(mcp_servers::from_file(&json, root)?)
    } else {
        None
    };
    let parts = Parts {
        name,
        content: document.body.to_owned(),
        source: path.display().to_string(),
        mcp_tools,
        resources: resources::find(workspace, root, siblings).await,
        is_agentskills_format: true,
    };
    compose(parts, &document.head)
}

/// Names of SKILL.md skills are lower-case words with single hyphens between them, and those of their directory.
fn check_name(name: &str, directory: &str) -> Result<(), SkillError> {
    let is_word = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    let rule = if name.is_empty() {
        "it is empty".to_owned()
    } else if name.chars().count() > MAX_NAME_CHARS {
        format!("it has more than {MAX_NAME_CHARS} characters")
    } else if !name.split('-').all(is_word) {
        "it must be lower-case letters and digits with single hyphens, such as 'pdf-tools'"
            .to_owned()
    } else if name != directory {
        format!("its directory is named '{directory}'")
    } else {
        return Ok(());
    };
    Err(SkillError::Name {
        name: name.to_owned(),
        rule,
    })
}

#[cfg(test)]
#[path = "directory_tests.rs"]
mod tests;

//! Instruction files that other tools made customary: AGENTS.md, CLAUDE.md, .cursorrules.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use openhands_process::Exit;
use openhands_protocol::skills::{PathTrigger, Skill};
use openhands_runtime::{Exec, Workspace};
use tokio_util::sync::CancellationToken;

use crate::skills::compose::settle;
use crate::skills::files;
use crate::skills::loaded::Loaded;

/// File names in lower case, and the name of the skill that each gives.
const NAMES: [(&str, &str); 5] = [
    (".cursorrules", "cursorrules"),
    ("agents.md", "agents"),
    ("agent.md", "agents"),
    ("claude.md", "claude"),
    ("gemini.md", "gemini"),
];

/// How many nested files become rules.
const MAX_NESTED: usize = 200;
/// How long the search for nested files may take.
const SEARCH_TIME: Duration = Duration::from_secs(10);

/// The name of the skill that a file gives, if its name is one of the customary ones, in whatever case.
pub(crate) fn name_of(path: &Path) -> Option<&'static str> {
    let file = path.file_name()?.to_str()?;
    let found = NAMES
        .iter()
        .find(|(name, _)| file.eq_ignore_ascii_case(name));
    found.map(|(_, skill)| *skill)
}

/// The whole file, always on.
pub(crate) fn always_on(name: &str, path: &Path, content: String) -> Skill {
    Skill {
        name: name.to_owned(),
        content,
        source: Some(path.display().to_string()),
        ..Skill::default()
    }
}

/// The files in a project's top directory.
pub(crate) async fn load_top(workspace: &dyn Workspace, directory: &Path, loaded: &mut Loaded) {
    // CLAUDE.md is often a link to AGENTS.md: the same text is given once.
    let mut seen = HashSet::new();
    for file in files::file_names(&files::entries(workspace, directory, loaded).await) {
        let path = directory.join(file);
        let Some(name) = name_of(&path) else { continue };
        match files::text(workspace, &path).await {
            Ok(content) => {
                if seen.insert(content.clone()) {
                    loaded.add(always_on(name, &path, content));
                }
            }
            Err(error) => loaded.warn(&path, error),
        }
    }
}

/// The files in directories below the working directory, as rules for what is below them.
pub(crate) async fn load_nested(
    workspace: &dyn Workspace,
    cancel: &CancellationToken,
    loaded: &mut Loaded,
) {
    let root = workspace.root();
    let mut found = find_nested(workspace, cancel).await;
    found.sort_by(|one, other| (one.parent(), one).cmp(&(other.parent(), other)));
    if found.len() > MAX_NESTED {
        loaded.warn(
            root,
            format!("more than {MAX_NESTED} nested instruction files: the rest is left out"),
        );
        found.truncate(MAX_NESTED);
    }
    let mut seen = HashSet::new();
    for below in found {
        let path = root.join(&below);
        let (Some(name), Some(directory)) = (name_of(&below), below.parent()) else {
            continue;
        };
        match files::text(workspace, &path).await {
            Ok(content) => {
                if seen.insert((directory.to_owned(), content.clone())) {
                    loaded.add(rule(name, &path, directory, content));
                }
            }
            // Listed by git but removed from the disk: nothing to report.
            Err(crate::skills::SkillError::Unreadable(error)) if error.is_not_found() => {}
            Err(error) => loaded.warn(&path, error),
        }
    }
}

fn rule(name: &str, path: &Path, directory: &Path, content: String) -> Skill {
    let directory = directory.display();
    settle(Skill {
        trigger: Some(
            PathTrigger {
                paths: vec![format!("{directory}/**")],
                ..PathTrigger::default()
            }
            .into(),
        ),
        ..always_on(&format!("{name}:{directory}"), path, content)
    })
}

/// Paths relative to the root, at least one directory down. What git knows or would add, else what is on the disk.
async fn find_nested(workspace: &dyn Workspace, cancel: &CancellationToken) -> Vec<PathBuf> {
    let mut tracked = vec![
        "git",
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
        "--",
    ];
    let patterns: Vec<String> = NAMES
        .iter()
        .map(|(name, _)| format!(":(icase,glob)**/{name}"))
        .collect();
    tracked.extend(patterns.iter().map(String::as_str));
    if let Some(paths) = run(workspace, &tracked, cancel).await {
        return paths;
    }
    let mut search = vec!["find", ".", "-mindepth", "1", "-maxdepth", "12"];
    search.extend([
        "-type",
        "d",
        "(",
        "-name",
        ".*",
        "-o",
        "-name",
        "node_modules",
        ")",
        "-prune",
    ]);
    search.extend(["-o", "-type", "f", "("]);
    for (position, (name, _)) in NAMES.iter().enumerate() {
        search.extend((position > 0).then_some("-o"));
        search.extend(["-iname", name]);
    }
    search.extend([")", "-print0"]);
    run(workspace, &search, cancel).await.unwrap_or_default()
}

async fn run(
    workspace: &dyn Workspace,
    argv: &[&str],
    cancel: &CancellationToken,
) -> Option<Vec<PathBuf>> {
    let exec = Exec {
        timeout: SEARCH_TIME,
        ..Exec::new(argv.iter().copied())
    };
    let output = workspace.exec(exec, cancel.clone()).await.ok()?;
    if output.exit != Some(Exit::Code(0)) {
        return None;
    }
    let paths = output.stdout.split(|byte| *byte == 0).filter_map(|path| {
        let path = Path::new(std::str::from_utf8(path).ok()?);
        let path = path.strip_prefix(".").unwrap_or(path);
        let is_nested = path
            .parent()
            .is_some_and(|parent| !parent.as_os_str().is_empty());
        is_nested.then(|| path.to_owned())
    });
    Some(paths.collect())
}

//! The plugin `agent_skills`: functions for reading, searching and editing files that cells can call.
//!
//! They are part of this program, and are written to a folder that only its kernels get. Where the kernel's Python has the package
//! of OpenHands 0.x, they do not hide it; elsewhere they can be imported under its name.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::json;
use tempfile::TempDir;

use super::{KernelSetup, Plugin};
use crate::v0::command::Settings;

/// The package's files, below its folder.
const FILES: &[(&str, &str)] = &[
    ("__init__.py", include_str!("agent_skills/__init__.py")),
    (
        "agentskills.py",
        include_str!("agent_skills/agentskills.py"),
    ),
    (
        "file_editor.py",
        include_str!("agent_skills/file_editor.py"),
    ),
    ("file_ops.py", include_str!("agent_skills/file_ops.py")),
    (
        "file_reader.py",
        include_str!("agent_skills/file_reader.py"),
    ),
    ("models.py", include_str!("agent_skills/models.py")),
];
/// Where the package is, below a folder of the path.
const PACKAGE: &str = "openhands/runtime/plugins/agent_skills";
/// Finds the package, or puts ours in its place.
const FIND: &str = include_str!("agent_skills/find.py");

#[derive(Debug)]
pub(super) struct AgentSkills {
    working_dir: PathBuf,
    /// Goes away with the plugin.
    folder: Mutex<Option<TempDir>>,
}

impl AgentSkills {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            working_dir: settings.working_dir.clone(),
            folder: Mutex::default(),
        }
    }
}

impl Plugin for AgentSkills {
    fn name(&self) -> &'static str {
        "agent_skills"
    }

    /// Each function says itself what it lacks.
    fn check(&self) -> BoxFuture<'_, anyhow::Result<()>> {
        Box::pin(async { Ok(()) })
    }

    fn prepare_kernel<'a>(
        &'a self,
        setup: &'a mut KernelSetup,
    ) -> BoxFuture<'a, anyhow::Result<()>> {
        Box::pin(async move {
            let program = std::env::current_exe().context("finding this program")?;
            let (program, directory) = (
                program.to_string_lossy(),
                self.working_dir.to_string_lossy(),
            );
            let editor = json!([program, "file-editor", "--working-dir", directory]);
            let writing = tokio::task::spawn_blocking(move || write(&editor.to_string()));
            let folder = writing.await?.context("writing the functions")?;
            let path = json!(folder.path().to_string_lossy()).to_string();
            setup.cells.push(format!(
                "{FIND}\n\
                 exec('from ' + _openhands_find_skills({path}) + '.agentskills import *')\n\
                 del _openhands_find_skills"
            ));
            *self.folder.lock() = Some(folder);
            Ok(())
        })
    }

    fn start(&self, _setup: KernelSetup) -> BoxFuture<'_, anyhow::Result<()>> {
        Box::pin(async { Ok(()) })
    }
}

/// Writes the package. Everybody may read it: kernels may belong to another user.
fn write(editor: &str) -> io::Result<TempDir> {
    let readable = || Permissions::from_mode(0o755);
    let folder = tempfile::Builder::new()
        .prefix("openhands-skills-")
        .permissions(readable())
        .tempdir()?;
    let package = folder.path().join(PACKAGE);
    fs::create_dir_all(&package)?;
    let mut place: &Path = &package;
    while place != folder.path() {
        fs::set_permissions(place, readable())?;
        place = place.parent().unwrap_or_else(|| folder.path());
    }
    let settings = format!("\"\"\"How the file editor is called.\"\"\"\n\nEDITOR = {editor}\n");
    let files = FILES
        .iter()
        .copied()
        .chain([("settings.py", settings.as_str())]);
    for (name, text) in files {
        let path = package.join(name);
        fs::write(&path, text)?;
        fs::set_permissions(&path, Permissions::from_mode(0o644))?;
    }
    Ok(folder)
}

//! Which VS Code server this machine has, and how it is called.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::services::vscode::VsCodeSetup;

/// Where packages of code-server put it when its command is a script that does not tell.
const CODE_SERVER_PLACES: [&str; 2] = ["/usr/lib/code-server", "/usr/local/lib/code-server"];
/// The part of code-server that is VS Code itself, with its own tokens.
const CODE_SERVER_MAIN: &str = "lib/vscode/out/server-main.js";

/// A program with the arguments that come first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) command: OsString,
    pub(super) arguments: Vec<OsString>,
}

impl Program {
    /// The named one, or that of the image, or one of the path.
    pub(super) async fn find(setup: &VsCodeSetup) -> Option<Self> {
        let setup = setup.clone();
        tokio::task::spawn_blocking(move || Self::search(&setup))
            .await
            .unwrap_or_default()
    }

    fn search(setup: &VsCodeSetup) -> Option<Self> {
        if let Some(named) = &setup.program {
            return Self::of(named, setup);
        }
        let in_image = setup.image_root.join("bin/openvscode-server");
        if in_image.is_file() {
            let mut found = Self::plain(&in_image);
            let extensions = setup.image_root.join("extensions");
            if extensions.exists() {
                found.arguments.push("--extensions-dir".into());
                found.arguments.push(extensions.into());
            }
            return Some(found);
        }
        ["openvscode-server", "code-server"]
            .iter()
            .filter_map(|name| in_path(name, setup))
            .find_map(|path| Self::of(&path, setup))
    }

    fn plain(path: &Path) -> Self {
        Self {
            command: path.into(),
            arguments: Vec::new(),
        }
    }

    /// code-server has no tokens of its own: the VS Code server inside of it is started instead.
    fn of(path: &Path, setup: &VsCodeSetup) -> Option<Self> {
        let real = path.canonicalize().ok().filter(|path| path.is_file())?;
        let mut places: Vec<&Path> = real.ancestors().skip(1).collect();
        let is_code_server = path.file_name() == Some(OsStr::new("code-server"));
        if is_code_server {
            places.extend(CODE_SERVER_PLACES.map(Path::new));
        }
        let root = places
            .into_iter()
            .find(|place| place.join(CODE_SERVER_MAIN).is_file());
        let Some(root) = root else {
            if is_code_server {
                tracing::warn!(path = %path.display(), "this code-server has no VS Code server in it");
                return None;
            }
            return Some(Self::plain(&real));
        };
        let own_node = root.join("lib/node");
        let node = if own_node.is_file() {
            own_node
        } else {
            in_path("node", setup)?
        };
        Some(Self {
            command: node.into(),
            arguments: vec![
                root.join(CODE_SERVER_MAIN).into(),
                "--accept-server-license-terms".into(),
            ],
        })
    }
}

/// A program in the path of commands.
fn in_path(name: &str, setup: &VsCodeSetup) -> Option<PathBuf> {
    let path = setup.env.get(OsStr::new("PATH"))?;
    std::env::split_paths(path)
        .map(|directory| directory.join(name))
        .find(|file| file.is_absolute() && file.is_file())
}

#[cfg(test)]
#[path = "program_tests.rs"]
mod tests;

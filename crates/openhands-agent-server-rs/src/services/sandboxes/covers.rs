//! What a container must not see of its workspace: the data of this server, where that is in there.
//!
//! Each such directory is covered by an empty one. The directories on the way to it are mounted once more, each on itself:
//! what something is mounted on cannot be renamed from inside, so nobody puts other data in the place of the server's.

use std::io;
use std::path::{Path, PathBuf};

use openhands_sdk_rs::runtime::docker::Mount;
use openhands_sdk_rs::tools::absolute;

use crate::config::Config;

/// Where this server keeps what is its own: conversations, settings, keys, logs of commands.
#[derive(Debug, Clone)]
pub(crate) struct OwnData {
    directories: Vec<PathBuf>,
    /// Where conversations may work though it is among the data.
    workspaces: Vec<PathBuf>,
}

impl OwnData {
    pub(crate) fn of(config: &Config) -> Self {
        let directories = [
            &config.conversations_path,
            &config.persistence_dir,
            &config.bash_events_dir,
        ];
        let workspaces = [&config.conversation_worktree_root, &config.workspace_path];
        Self {
            directories: directories.map(|path| absolute(path)).to_vec(),
            workspaces: workspaces.map(|path| absolute(path)).to_vec(),
        }
    }

    /// Whether a directory can be shown to a container, or why not.
    pub(crate) fn check(&self, workspace: &Path) -> Result<(), String> {
        let given = absolute(workspace);
        let real = resolved(&given);
        for named in &self.directories {
            let own = resolved(named);
            let is_free = self
                .workspaces
                .iter()
                .map(|free| resolved(free))
                .any(|free| free != own && free.starts_with(&own) && real.starts_with(&free));
            if real.starts_with(&own) && !is_free {
                return Err(format!(
                    "The working directory {} is part of {}, where the server keeps its own data. A sandbox cannot have it",
                    given.display(),
                    named.display()
                ));
            }
            let is_by_link = [&given, &real].into_iter().any(|above| {
                let rest = named.strip_prefix(above);
                rest.is_ok_and(|rest| own != joined(&real, rest))
            });
            if is_by_link {
                return Err(format!(
                    "A link in the working directory {} leads to the server's own data: {}. A sandbox could lead it elsewhere",
                    given.display(),
                    named.display()
                ));
            }
        }
        Ok(())
    }

    /// The mounts with empty directories over the data of this server, which are made below `empty`.
    pub(super) fn cover(&self, mounts: Vec<Mount>, empty: &Path) -> io::Result<Vec<Mount>> {
        let mut covers: Vec<PathBuf> = Vec::new();
        let mut held: Vec<Mount> = Vec::new();
        for mount in mounts.iter().filter(|mount| !mount.read_only) {
            let real = resolved(&mount.source);
            for own in self.directories.iter().map(|own| resolved(own)) {
                let Ok(rest) = own.strip_prefix(&real) else {
                    continue;
                };
                if rest.as_os_str().is_empty() {
                    continue;
                }
                // What is mounted on must be there.
                std::fs::create_dir_all(&own)?;
                covers.push(mount.target.join(rest));
                let between = rest.ancestors().skip(1);
                held.extend(
                    between
                        .filter(|part| !part.as_os_str().is_empty())
                        .map(|part| Mount {
                            source: mount.source.join(part),
                            target: mount.target.join(part),
                            read_only: false,
                        }),
                );
            }
        }
        let outermost = |path: &Path| {
            !covers
                .iter()
                .any(|other| path != other && path.starts_with(other))
        };
        let mut outer: Vec<&PathBuf> = covers.iter().filter(|path| outermost(path)).collect();
        outer.sort();
        outer.dedup();
        held.retain(|mount| outermost(&mount.target) && !covers.contains(&mount.target));
        let mut all = mounts;
        all.extend(held);
        for (number, target) in outer.into_iter().enumerate() {
            let source = empty.join(number.to_string());
            std::fs::create_dir_all(&source)?;
            // The mounts inside of it need a place, and it cannot be written any more when they are made.
            for inner in &all {
                if let Ok(rest) = inner.target.strip_prefix(target) {
                    std::fs::create_dir_all(source.join(rest))?;
                }
            }
            all.push(Mount {
                source,
                target: target.clone(),
                read_only: true,
            });
        }
        // Above before below. The first stays so: the user inside is the owner of it.
        if let Some((_, rest)) = all.split_first_mut() {
            rest.sort_by_key(|mount| mount.target.components().count());
        }
        let mut seen = std::collections::HashSet::new();
        all.retain(|mount| seen.insert(mount.target.clone()));
        Ok(all)
    }
}

/// Where a path leads, also if the end of it is not there yet.
fn resolved(path: &Path) -> PathBuf {
    path.ancestors()
        .find_map(|above| {
            let real = above.canonicalize().ok()?;
            Some(joined(&real, path.strip_prefix(above).ok()?))
        })
        .unwrap_or_else(|| path.to_owned())
}

/// Joining nothing leaves no slash behind.
fn joined(above: &Path, rest: &Path) -> PathBuf {
    if rest.as_os_str().is_empty() {
        above.to_owned()
    } else {
        above.join(rest)
    }
}

#[cfg(test)]
#[path = "covers_tests.rs"]
mod tests;

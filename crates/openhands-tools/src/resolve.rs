//! Resolving a path to the place it names, whether or not that place exists yet.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// Links followed before a path is taken for a loop; the kernel's own limit.
const MAX_LINKS: usize = 40;

/// The real path behind `path`: every symbolic link on the way is followed (relative, chained and dangling
/// ones too), `.` and `..` are taken away, and what does not exist is kept as it is written.
/// `path` should be absolute. A loop of links comes back unresolved, so that opening it reports the loop.
pub fn resolve(path: &Path) -> PathBuf {
    if let Ok(real) = fs::canonicalize(path) {
        return real;
    }
    let mut links = 0;
    let mut resolved = PathBuf::new();
    // The parts still to walk, the next one last.
    let mut pending: Vec<PathBuf> = parts(path);
    while let Some(part) = pending.pop() {
        match part.components().next() {
            Some(Component::RootDir | Component::Prefix(_)) => resolved = PathBuf::from("/"),
            Some(Component::ParentDir) => {
                resolved.pop();
            }
            Some(Component::CurDir) | None => {}
            Some(Component::Normal(name)) => {
                resolved.push(name);
                if let Ok(target) = fs::read_link(&resolved) {
                    links += 1;
                    if links > MAX_LINKS {
                        return path.to_path_buf();
                    }
                    resolved.pop();
                    pending.extend(parts(&target));
                }
            }
        }
    }
    resolved
}

fn parts(path: &Path) -> Vec<PathBuf> {
    path.components()
        .rev()
        .map(|part| PathBuf::from(part.as_os_str()))
        .collect()
}

/// `path` written the way Python's `pathlib` prints it: no doubled or trailing slashes, no `.` parts, `..` kept.
/// Observations and error texts show paths in this form.
pub(crate) fn tidy(path: &str) -> String {
    let root = match path.bytes().take_while(|byte| *byte == b'/').count() {
        0 => "",
        // compat: exactly two leading slashes are a root of their own in POSIX, and are kept.
        2 => "//",
        _ => "/",
    };
    let body = path
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect::<Vec<_>>()
        .join("/");
    if root.is_empty() && body.is_empty() {
        return ".".to_owned();
    }
    [root, &body].concat()
}

#[cfg(test)]
#[path = "resolve_tests.rs"]
mod tests;

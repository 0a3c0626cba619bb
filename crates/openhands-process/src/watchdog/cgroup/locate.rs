//! Where our own cgroup is in the file system.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};

/// The directory of our own version 2 cgroup, from the texts of /proc/self/mountinfo and
/// /proc/self/cgroup. `None` if the hierarchy is not mounted or does not show our cgroup.
pub(super) fn own_group(mounts: &str, membership: &str) -> Option<PathBuf> {
    let ours = Path::new(
        membership
            .lines()
            .find_map(|line| line.strip_prefix("0::"))?,
    );
    mounts.lines().filter_map(mount).find_map(|(root, point)| {
        let below = ours.strip_prefix(&root).ok()?;
        // In a cgroup namespace that we were moved out of, the path climbs out of the root.
        let plain = below
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        plain.then(|| point.components().chain(below.components()).collect())
    })
}

/// Root and mount point of a line that mounts the version 2 hierarchy.
fn mount(line: &str) -> Option<(PathBuf, PathBuf)> {
    let (place, source) = line.split_once(" - ")?;
    if source.split(' ').next()? != "cgroup2" {
        return None;
    }
    let mut fields = place.split(' ').skip(3);
    Some((unescape(fields.next()?), unescape(fields.next()?)))
}

/// Undoes the kernel's `\040` for spaces, tabs, newlines and backslashes.
fn unescape(field: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let octal = after
            .get(..3)
            .filter(|_| *first == b'\\')
            .and_then(|digits| u8::from_str_radix(str::from_utf8(digits).ok()?, 8).ok());
        if let (Some(byte), Some(past)) = (octal, after.get(3..)) {
            bytes.push(byte);
            rest = past;
        } else {
            bytes.push(*first);
        }
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
#[path = "locate_tests.rs"]
mod tests;

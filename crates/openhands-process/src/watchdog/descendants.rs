//! Who descends from a process, and how to end them all.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};

use super::raw::group_of;

/// Everyone below `root`, parents before children.
///
/// The list is a snapshot: processes fork and end while it is read. Callers repeat it until it
/// is stable or empty.
pub(super) fn descendants(root: Pid) -> Vec<Pid> {
    below(&[root])
}

/// Everyone below `root`, except the children that are spared and those below them.
pub(super) fn descendants_except(root: Pid, is_spared: impl Fn(Pid) -> bool) -> Vec<Pid> {
    let mut first = children(root).unwrap_or_else(|| scan_children(root));
    first.retain(|child| !is_spared(*child));
    let mut all = first.clone();
    all.extend(below(&first));
    all
}

fn below(roots: &[Pid]) -> Vec<Pid> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut waiting = roots.to_vec();
    while let Some(parent) = waiting.pop() {
        // A kernel without CONFIG_PROC_CHILDREN has no list of children to read.
        for child in children(parent).unwrap_or_else(|| scan_children(parent)) {
            // A pid that is reused while we read must not send us in circles.
            if seen.insert(child.as_raw_nonzero()) {
                found.push(child);
                waiting.push(child);
            }
        }
    }
    found
}

/// The children of all threads of a process; `None` if this kernel does not tell.
fn children(parent: Pid) -> Option<Vec<Pid>> {
    let threads = format!("/proc/{}/task", parent.as_raw_nonzero());
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(&threads) else {
        return Path::new("/proc/self/task").exists().then(Vec::new);
    };
    for thread in entries.flatten() {
        match fs::read_to_string(thread.path().join("children")) {
            Ok(list) => found.extend(list.split_ascii_whitespace().filter_map(parse_pid)),
            // The thread ended, or this kernel has no such file for anyone.
            Err(_) if thread.path().exists() => return None,
            Err(_) => {}
        }
    }
    Some(found)
}

/// The children of a process, from a look at every process there is.
fn scan_children(parent: Pid) -> Vec<Pid> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| parse_pid(entry.file_name().to_str()?))
        .filter(|pid| parent_of(*pid) == Some(parent))
        .collect()
}

fn parent_of(pid: Pid) -> Option<Pid> {
    fields_of(pid)?.1
}

/// The children of `root` that started at a moment or later, and everyone below them. The moment counts clock ticks since
/// the machine started.
pub(crate) fn started_since(root: Pid, ticks: u64) -> Vec<Pid> {
    let mut first = children(root).unwrap_or_else(|| scan_children(root));
    first.retain(|child| start_of(*child).is_some_and(|start| start >= ticks));
    let mut all = first.clone();
    all.extend(below(&first));
    all
}

/// When a process started, in clock ticks since the machine started.
pub(crate) fn start_of(pid: Pid) -> Option<u64> {
    // Of the fields after the name, state is the third of all, and the start is the twenty-second.
    fields_after_name(pid)?
        .split_ascii_whitespace()
        .nth(22 - 3)?
        .parse()
        .ok()
}

/// State and parent, from /proc/PID/stat. The name before them may hold spaces and brackets, so
/// the fields are counted from the last bracket on.
fn fields_of(pid: Pid) -> Option<(char, Option<Pid>)> {
    let rest = fields_after_name(pid)?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, parse_pid(fields.next()?)))
}

fn fields_after_name(pid: Pid) -> Option<String> {
    let mut stat = fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    String::from_utf8(stat.split_off(name_end + 1)).ok()
}

fn parse_pid(text: &str) -> Option<Pid> {
    Pid::from_raw(text.parse().ok()?)
}

/// Stops and then kills everyone that `list` names, and returns those that we may not signal.
///
/// Stopping first, until a fresh list names nobody new, beats processes that fork faster than
/// they can be killed one by one: a stopped process forks no more. A pid of the list may in
/// theory have been reused when its signal is sent; pids are handed out in a circle, so that
/// needs a full turn of it within the microseconds between the two.
pub(crate) fn kill_all(list: impl Fn() -> Vec<Pid>) -> BTreeSet<i32> {
    let mut stopped: BTreeSet<i32> = BTreeSet::new();
    loop {
        let mut anyone_new = false;
        for pid in list() {
            if stopped.insert(pid.as_raw_nonzero().get()) {
                anyone_new = true;
                let _ = kill_process(pid, Signal::STOP);
            }
        }
        if !anyone_new {
            break;
        }
    }
    stopped.retain(|pid| {
        Pid::from_raw(*pid).is_some_and(|pid| kill_process(pid, Signal::KILL) == Err(Errno::PERM))
    });
    stopped
}

/// Whether a process has not ended; one that waits to be collected has.
pub(crate) fn is_alive(pid: Pid) -> bool {
    fields_of(pid).is_some_and(|(state, _)| state != 'Z' && state != 'X')
}

/// The descendants of `root` that belong to a process group.
pub(super) fn in_group(root: Pid, group: Pid) -> Vec<Pid> {
    let mut members = descendants(root);
    members.retain(|pid| group_of(Some(*pid)) == Some(group));
    members
}

#[cfg(test)]
#[path = "descendants_tests.rs"]
mod tests;

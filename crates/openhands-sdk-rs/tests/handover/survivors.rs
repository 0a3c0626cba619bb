//! What is left of a process and all that it started.

use std::time::{Duration, Instant};

use crate::worker::TREE;

/// How long the death of a process may take to reach what it started. Generous: the machine may be busy.
const PATIENCE: Duration = Duration::from_mins(1);

/// The processes that carry the mark of a tree, with their command lines.
fn carrying(tree: &str) -> Vec<String> {
    let mark = format!("{TREE}={tree}");
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let is_process = entry.file_name().to_string_lossy().parse::<u32>().is_ok();
        // A process may end while it is looked at; then it is no survivor.
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        if is_process
            && environment
                .split(|byte| *byte == 0)
                .any(|it| it == mark.as_bytes())
        {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            found.push(format!("{} {line}", entry.file_name().display()));
        }
    }
    found
}

/// Waits until nothing is left of a tree.
pub(crate) fn wait_for_none(tree: &str) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let left = carrying(tree);
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < deadline, "survived: {left:#?}");
        std::thread::yield_now();
    }
}

/// Whether anything of a tree lives.
pub(crate) fn is_any_left(tree: &str) -> bool {
    !carrying(tree).is_empty()
}

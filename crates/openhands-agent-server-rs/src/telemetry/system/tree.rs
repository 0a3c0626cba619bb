//! The memory of a process with all that it started.

use std::collections::HashMap;
use std::fs;

/// What a tree of processes uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TreeMemory {
    /// Memory that processes share is divided among them, so that the sum is what is really used.
    pub(crate) bytes: u64,
    pub(crate) processes: u64,
}

/// The memory of this process and its descendants. Blocks: it reads some files for every process of the machine.
pub(crate) fn tree_memory() -> TreeMemory {
    let own = std::process::id();
    let parents = parents();
    let mut found = TreeMemory::default();
    for &pid in parents.keys().filter(|pid| descends(**pid, own, &parents)) {
        // A process that ended meanwhile uses nothing.
        if let Some(bytes) = memory_of(pid) {
            found.bytes = found.bytes.saturating_add(bytes);
            found.processes += 1;
        }
    }
    found
}

/// The parent of every process. Not every kernel lists the children of one.
fn parents() -> HashMap<u32, u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read(entry.path().join("stat")).ok()?;
            Some((pid, parent(&String::from_utf8_lossy(&stat))?))
        })
        .collect()
}

fn parent(stat: &str) -> Option<u32> {
    // The name of the program is in parentheses and may contain anything.
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(1)?.parse().ok()
}

fn descends(pid: u32, root: u32, parents: &HashMap<u32, u32>) -> bool {
    let mut pid = pid;
    // Processes come and go while they are read, so that parents could form a circle.
    for _ in 0..parents.len() {
        if pid == root {
            return true;
        }
        match parents.get(&pid) {
            Some(&parent) => pid = parent,
            None => return false,
        }
    }
    false
}

/// The share of a process, or all that it has in memory where its shares may not be read.
fn memory_of(pid: u32) -> Option<u64> {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok();
    rollup.as_deref().and_then(pss).or_else(|| {
        let statm = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
        let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
        let page = u64::try_from(rustix::param::page_size()).ok()?;
        Some(pages.saturating_mul(page))
    })
}

fn pss(rollup: &str) -> Option<u64> {
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes.saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_parents_are_read() {
        let rollup =
            "55-7f ---p 0 0 [rollup]\nRss: 900 kB\nPss:                 159 kB\nPss_Dirty: 1 kB\n";
        assert_eq!(pss(rollup), Some(159 * 1024));
        assert_eq!(pss("Rss: 5 kB"), None);
        assert_eq!(parent("7 (a) b) S 12 7 7 0"), Some(12));
    }

    #[test]
    fn descendants_are_found_and_circles_are_no_trap() {
        let parents = HashMap::from([(1, 0), (5, 1), (6, 5), (7, 6), (8, 1), (20, 21), (21, 20)]);
        let below: Vec<bool> = [5, 7, 8, 20]
            .into_iter()
            .map(|pid| descends(pid, 5, &parents))
            .collect();
        assert_eq!(below, [true, true, false, false]);
    }

    #[test]
    fn a_child_counts() {
        let before = tree_memory();
        assert!(before.bytes > 100_000 && before.processes >= 1);
        // It has read a line, so it has begun.
        let mut child = std::process::Command::new("sh")
            .args(["-c", "echo; read end"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = [0];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut said).unwrap();
        let parents = parents();
        assert!(descends(child.id(), std::process::id(), &parents));
        assert!(memory_of(child.id()).unwrap() > 0);
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}

//! What the processes of one server use: memory and processor time, of all of them together.
//!
//! They are found by a variable in their environment, so that daemons which left the tree (tmux) count, too; and by whose children they are, so that
//! those with another environment (the guards of our commands) do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, ensure};

/// The variable that marks the processes of one server.
pub(crate) const MARK: &str = "OPENHANDS_BENCH_MARK";

/// The processes that carry this mark and those below them, as directories of /proc.
fn marked(mark: &str) -> anyhow::Result<Vec<PathBuf>> {
    let wanted = format!("{MARK}={mark}");
    let (mut found, mut others) = (BTreeMap::new(), Vec::new());
    for entry in std::fs::read_dir("/proc")? {
        let entry = entry?;
        let Some(id) = entry.file_name().to_str().and_then(|id| id.parse().ok()) else {
            continue;
        };
        // Processes come and go while they are counted, and those of others cannot be read.
        let Ok(environment) = std::fs::read(entry.path().join("environ")) else {
            continue;
        };
        let mut variables = environment.split(|&byte| byte == 0);
        if variables.any(|variable| variable == wanted.as_bytes()) {
            found.insert(id, entry.path());
        } else if let Some(parent) = parent(&entry.path()) {
            others.push((id, parent, entry.path()));
        }
    }
    // Children of children: until there is nobody new.
    loop {
        let is_below = |(_, parent, _): &mut (i32, i32, PathBuf)| found.contains_key(parent);
        let below: Vec<_> = others.extract_if(.., is_below).collect();
        if below.is_empty() {
            return Ok(found.into_values().collect());
        }
        found.extend(below.into_iter().map(|(id, _, path)| (id, path)));
    }
}

/// Whose child a process is.
fn parent(process: &Path) -> Option<i32> {
    let stat = std::fs::read_to_string(process.join("stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(1)?.parse().ok()
}

/// The ids of the marked processes.
pub(crate) fn ids(mark: &str) -> anyhow::Result<Vec<i32>> {
    Ok(marked(mark)?
        .iter()
        .filter_map(|process| process.file_name()?.to_str()?.parse().ok())
        .collect())
}

/// The proportional share of memory of all of them, in bytes.
pub(crate) fn proportional_memory(mark: &str) -> anyhow::Result<u64> {
    let bytes = marked(mark)?
        .iter()
        .filter_map(|process| kilobytes(&process.join("smaps_rollup"), "Pss:"))
        .sum::<u64>()
        << 10;
    ensure!(bytes > 0, "no process of the server was found");
    Ok(bytes)
}

/// The share of one process, in bytes.
pub(crate) fn memory_of(id: u32) -> Option<u64> {
    Some(kilobytes(Path::new(&format!("/proc/{id}/smaps_rollup")), "Pss:")? << 10)
}

/// The most that one process had in memory since the last [`forget_peak`], in bytes.
pub(crate) fn peak(id: u32) -> anyhow::Result<u64> {
    Ok(
        kilobytes(Path::new(&format!("/proc/{id}/status")), "VmHWM:")
            .context("the server has ended")?
            << 10,
    )
}

pub(crate) fn forget_peak(id: u32) -> anyhow::Result<()> {
    Ok(std::fs::write(format!("/proc/{id}/clear_refs"), "5")?)
}

/// A line `Name:   123 kB`.
fn kilobytes(file: &Path, name: &str) -> Option<u64> {
    std::fs::read_to_string(file)
        .ok()?
        .lines()
        .find_map(|line| line.strip_prefix(name))?
        .split_whitespace()
        .next()?
        .parse()
        .ok()
}

/// The processor time of all of them and of the children that they have waited for.
///
/// A child that ends between two looks moves from its own account to that of its parent, so a difference counts it once.
pub(crate) fn processor_time(mark: &str) -> anyhow::Result<Duration> {
    let ticks: u64 = marked(mark)?
        .iter()
        .filter_map(|process| ticks(&std::fs::read_to_string(process.join("stat")).ok()?))
        .sum();
    let per_second = rustix::param::clock_ticks_per_second();
    Ok(Duration::from_millis(ticks * 1000 / per_second.max(1)))
}

/// User and system time, of the process and of its ended children. The name in parentheses may hold anything.
fn ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let times = fields.split_whitespace().skip(11).take(4);
    times.map(|field| field.parse::<u64>().ok()).sum()
}

#[cfg(test)]
#[path = "processes_tests.rs"]
mod tests;

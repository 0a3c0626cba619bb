//! How much of the machine is used: memory, processors, disk and processes, and the limits of the container.

mod cgroup;
mod proc;
mod tree;

use std::io;
use std::path::Path;
use std::time::Duration;

use openhands_protocol::server::{
    CpuStatistics, DiskStatistics, MemoryStatistics, ProcessStatistics, SystemStatistics,
};

pub(crate) use proc::{OwnIo, OwnUse};
pub(crate) use tree::{TreeMemory, tree_memory};

/// Between the two looks that make a share of the processors.
const SAMPLE: Duration = Duration::from_millis(100);

/// Looks at the machine. Takes as long as a sample of the processors.
pub(crate) async fn statistics(directory: &Path) -> io::Result<SystemStatistics> {
    let before = proc::cpu_ticks().await?;
    tokio::time::sleep(SAMPLE).await;
    let after = proc::cpu_ticks().await?;
    let memory = proc::memory().await?;
    let limits = cgroup::Limits::read().await;
    let own = OwnUse::read().await?;
    Ok(SystemStatistics {
        memory: MemoryStatistics {
            total_bytes: memory.total,
            available_bytes: memory.available,
            used_bytes: memory.total.saturating_sub(memory.available),
            limit_bytes: limits.memory_bytes,
            limit_used_bytes: limits.memory_used_bytes,
            ..MemoryStatistics::default()
        },
        cpu: CpuStatistics {
            count: std::thread::available_parallelism().map_or(1, |count| count.get() as u64),
            used_percent: before.used_until(after),
            load_average: proc::load_average().await?,
            limit: limits.cpus,
            ..CpuStatistics::default()
        },
        disk: disk(directory)?,
        processes: ProcessStatistics {
            count: proc::process_count().await?,
            limit: limits.processes,
            limit_used: limits.processes_used,
            server_resident_bytes: own.resident_bytes,
            server_cpu_seconds: own.cpu_seconds,
            server_open_files: own.open_files,
            server_threads: own.threads,
            ..ProcessStatistics::default()
        },
        ..SystemStatistics::default()
    })
}

/// Memory of the machine, in bytes.
pub(crate) async fn memory_total() -> io::Result<u64> {
    Ok(proc::memory().await?.total)
}

/// The disk under a directory, or under the nearest one above it that exists.
pub(crate) fn disk(directory: &Path) -> io::Result<DiskStatistics> {
    let existing = directory
        .ancestors()
        .find(|path| path.exists())
        .unwrap_or(Path::new("/"));
    let found = rustix::fs::statvfs(existing)?;
    let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
    Ok(DiskStatistics {
        path: existing.to_string_lossy().into_owned(),
        total_bytes: bytes(found.f_blocks),
        // What is reserved for root is not available to us.
        available_bytes: bytes(found.f_bavail),
        used_bytes: bytes(found.f_blocks.saturating_sub(found.f_bfree)),
        ..DiskStatistics::default()
    })
}

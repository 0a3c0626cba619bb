//! The limits of the container, from the control group that the process sees as its root.

use std::path::Path;

use tokio::fs;

const ROOT: &str = "/sys/fs/cgroup";

/// Limits, each none where there is none, and what of them is used.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Limits {
    pub(super) memory_bytes: Option<u64>,
    pub(super) memory_used_bytes: Option<u64>,
    pub(super) cpus: Option<f64>,
    pub(super) processes: Option<u64>,
    pub(super) processes_used: Option<u64>,
}

impl Limits {
    pub(super) async fn read() -> Self {
        Self::read_from(Path::new(ROOT)).await
    }

    /// Reads the files of the second version of control groups; of the first, memory and processors.
    async fn read_from(root: &Path) -> Self {
        let read = async |path: &str| fs::read_to_string(root.join(path)).await.ok();
        let number = async |paths: [&str; 2]| {
            for path in paths {
                let text = read(path).await;
                if let Some(number) = text.and_then(|text| text.trim().parse::<u64>().ok()) {
                    return Some(number);
                }
            }
            None
        };
        let quota = if let Some(text) = read("cpu.max").await {
            cpus(&text)
        } else {
            let quota = read("cpu/cpu.cfs_quota_us").await;
            let period = read("cpu/cpu.cfs_period_us").await;
            quota
                .zip(period)
                .and_then(|(quota, period)| cpus(&format!("{} {}", quota.trim(), period.trim())))
        };
        Self {
            memory_bytes: number(["memory.max", "memory/memory.limit_in_bytes"])
                .await
                // The first version writes no limit as a number near the largest.
                .filter(|limit| *limit < 1 << 60),
            memory_used_bytes: number(["memory.current", "memory/memory.usage_in_bytes"]).await,
            cpus: quota,
            processes: number(["pids.max", "pids/pids.max"]).await,
            processes_used: number(["pids.current", "pids/pids.current"]).await,
        }
    }
}

/// `quota period` in microseconds, as a number of processors.
fn cpus(text: &str) -> Option<f64> {
    let (quota, period) = text.trim().split_once(' ')?;
    let quota: u32 = quota.parse().ok()?;
    let period: u32 = period.trim().parse().ok()?;
    (period > 0).then(|| f64::from(quota) / f64::from(period))
}

#[cfg(test)]
#[path = "cgroup_tests.rs"]
mod tests;

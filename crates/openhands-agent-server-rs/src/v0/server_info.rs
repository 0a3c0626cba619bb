//! What the server tells of itself: how long it runs and rests, and what it uses.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::State;
use openhands_protocol::v0::{DiskUse, IoUse, MemoryUse, ServerInfo, SystemResources};
use parking_lot::Mutex;

use super::refusal::Refusal;
use super::sandbox::Sandbox;
use crate::telemetry::system::{OwnIo, OwnUse, disk, memory_total};

/// Questions that come faster than this get the share of the one before: the kernel counts in hundredths of a second.
const SHORTEST_SPAN: Duration = Duration::from_millis(100);

/// The share of a processor that was used between two questions, so that nobody has to wait for one to be measured.
#[derive(Debug)]
pub(super) struct CpuShare(Mutex<Look>);

#[derive(Debug, Clone, Copy)]
struct Look {
    at: Instant,
    cpu_seconds: f64,
    percent: f64,
}

impl CpuShare {
    /// Measures from now on.
    pub(super) async fn start() -> Self {
        let own = OwnUse::read().await;
        Self::since(Instant::now(), own.map_or(0.0, |own| own.cpu_seconds))
    }

    fn since(at: Instant, cpu_seconds: f64) -> Self {
        Self(Mutex::new(Look {
            at,
            cpu_seconds,
            percent: 0.0,
        }))
    }

    /// The share since the last question, in percent of one processor.
    fn percent(&self, now: Instant, cpu_seconds: f64) -> f64 {
        let mut last = self.0.lock();
        let span = now.saturating_duration_since(last.at);
        if span >= SHORTEST_SPAN {
            let used = (cpu_seconds - last.cpu_seconds).max(0.0);
            *last = Look {
                at: now,
                cpu_seconds,
                percent: rounded(100.0 * used / span.as_secs_f64()),
            };
        }
        last.percent
    }
}

/// The answer to `GET /server_info`.
pub(super) async fn server_info(
    State(sandbox): State<Arc<Sandbox>>,
) -> Result<Json<ServerInfo>, Refusal> {
    let resources = resources(&sandbox.cpu_share).await.map_err(|error| {
        tracing::error!(%error, "the server's resources cannot be read");
        Refusal::unexpected()
    })?;
    Ok(Json(ServerInfo {
        uptime: sandbox.uptime().as_secs_f64(),
        idle_time: sandbox.idle_time().as_secs_f64(),
        resources,
        ..ServerInfo::default()
    }))
}

async fn resources(cpu: &CpuShare) -> std::io::Result<SystemResources> {
    let own = OwnUse::read().await?;
    let total = memory_total().await?;
    // compat: zero where the kernel does not tell.
    let io = OwnIo::read().await.unwrap_or_default();
    let disk = disk(Path::new("/"))?;
    Ok(SystemResources {
        cpu_percent: cpu.percent(Instant::now(), own.cpu_seconds),
        memory: MemoryUse {
            rss: own.resident_bytes,
            vms: own.virtual_bytes,
            percent: percent(own.resident_bytes, total),
            ..MemoryUse::default()
        },
        disk: DiskUse {
            total: disk.total_bytes,
            used: disk.used_bytes,
            free: disk.available_bytes,
            // Of what users can have: some of the disk is kept for root.
            percent: rounded(percent(
                disk.used_bytes,
                disk.used_bytes.saturating_add(disk.available_bytes),
            )),
            ..DiskUse::default()
        },
        io: IoUse {
            read_bytes: io.read_bytes,
            write_bytes: io.write_bytes,
            ..IoUse::default()
        },
        ..SystemResources::default()
    })
}

// A float is exact enough for a share.
#[expect(clippy::cast_precision_loss)]
fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    part as f64 * 100.0 / whole as f64
}

/// To tenths.
fn rounded(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_between_two_questions_and_those_that_come_too_fast_get_the_last() {
        let start = Instant::now();
        let share = CpuShare::since(start, 0.0);
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let is = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found}");
        is(share.percent(at(2000), 1.0), 50.0);
        is(share.percent(at(2050), 1.05), 50.0);
        is(share.percent(at(4000), 5.0), 200.0);
        is(share.percent(at(5000), 5.0), 0.0);
    }

    #[tokio::test]
    async fn this_process_uses_something_of_everything() {
        let found = resources(&CpuShare::start().await).await.unwrap();
        assert!(found.memory.rss > 1_000_000 && found.memory.vms > found.memory.rss);
        assert!(found.memory.percent > 0.0 && found.memory.percent < 100.0);
        assert!(found.disk.total >= found.disk.used && found.disk.percent <= 100.0);
    }
}

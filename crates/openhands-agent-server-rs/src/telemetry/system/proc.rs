//! What the kernel tells in `/proc`.

use std::io;

use tokio::fs;

/// Memory of the machine, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Memory {
    pub(super) total: u64,
    pub(super) available: u64,
}

/// Time that all processors spent, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CpuTicks {
    busy: u64,
    all: u64,
}

/// What this process uses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct OwnUse {
    pub(crate) resident_bytes: u64,
    pub(crate) virtual_bytes: u64,
    pub(crate) cpu_seconds: f64,
    pub(crate) threads: u64,
    pub(crate) open_files: u64,
}

/// What this process read from disks and wrote to them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct OwnIo {
    pub(crate) read_bytes: u64,
    pub(crate) write_bytes: u64,
}

pub(super) async fn memory() -> io::Result<Memory> {
    parse_memory(&fs::read_to_string("/proc/meminfo").await?).ok_or_else(|| odd("meminfo"))
}

pub(super) async fn cpu_ticks() -> io::Result<CpuTicks> {
    parse_cpu(&fs::read_to_string("/proc/stat").await?).ok_or_else(|| odd("stat"))
}

/// Over one, five and fifteen minutes.
pub(super) async fn load_average() -> io::Result<Vec<f64>> {
    let text = fs::read_to_string("/proc/loadavg").await?;
    let numbers = text.split_whitespace().take(3).map(str::parse);
    numbers
        .collect::<Result<_, _>>()
        .map_err(|_| odd("loadavg"))
}

pub(super) async fn process_count() -> io::Result<u64> {
    let mut entries = fs::read_dir("/proc").await?;
    let mut count = 0;
    while let Some(entry) = entries.next_entry().await? {
        let name = entry.file_name();
        let is_process = name
            .to_str()
            .is_some_and(|name| name.parse::<u32>().is_ok());
        count += u64::from(is_process);
    }
    Ok(count)
}

impl OwnUse {
    pub(crate) async fn read() -> io::Result<Self> {
        let stat = fs::read_to_string("/proc/self/stat").await?;
        let mut open_files = 0;
        let mut entries = fs::read_dir("/proc/self/fd").await?;
        while entries.next_entry().await?.is_some() {
            open_files += 1;
        }
        let page = u64::try_from(rustix::param::page_size()).unwrap_or(4096);
        let ticks = rustix::param::clock_ticks_per_second();
        parse_own(&stat, page, ticks)
            .map(|own| Self { open_files, ..own })
            .ok_or_else(|| odd("self/stat"))
    }
}

impl OwnIo {
    pub(crate) async fn read() -> io::Result<Self> {
        parse_io(&fs::read_to_string("/proc/self/io").await?).ok_or_else(|| odd("self/io"))
    }
}

impl CpuTicks {
    /// The share that was used between two looks, in percent of all processors.
    pub(super) fn used_until(self, later: Self) -> f64 {
        let all = later.all.saturating_sub(self.all);
        let busy = later.busy.saturating_sub(self.busy);
        if all == 0 {
            return 0.0;
        }
        // Tenths of a percent are exact enough, and fit into a float.
        let tenths = busy.saturating_mul(1000) / all;
        f64::from(u32::try_from(tenths).unwrap_or(u32::MAX)) / 10.0
    }
}

fn odd(file: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("/proc/{file} does not look as expected"),
    )
}

fn parse_memory(text: &str) -> Option<Memory> {
    let kilobytes = |name: &str| -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        let number = line.strip_prefix(':')?.split_whitespace().next()?;
        number.parse::<u64>().ok()
    };
    Some(Memory {
        total: kilobytes("MemTotal")?.saturating_mul(1024),
        available: kilobytes("MemAvailable")?.saturating_mul(1024),
    })
}

fn parse_cpu(text: &str) -> Option<CpuTicks> {
    let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    // user nice system idle iowait irq softirq steal; guest times are part of user already.
    let numbers: Vec<u64> = line
        .split_whitespace()
        .take(8)
        .map_while(|number| number.parse().ok())
        .collect();
    let all: u64 = numbers.iter().sum();
    let idle = numbers.get(3)? + numbers.get(4)?;
    Some(CpuTicks {
        busy: all.saturating_sub(idle),
        all,
    })
}

fn parse_io(text: &str) -> Option<OwnIo> {
    let bytes = |name: &str| -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.strip_prefix(':')?.trim().parse().ok()
    };
    Some(OwnIo {
        read_bytes: bytes("read_bytes")?,
        write_bytes: bytes("write_bytes")?,
    })
}

fn parse_own(stat: &str, page_bytes: u64, ticks_per_second: u64) -> Option<OwnUse> {
    // The name of the program is in parentheses and may contain anything; fields are counted after it.
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    let ticks = number(11)?.saturating_add(number(12)?);
    let milliseconds = ticks.saturating_mul(1000) / ticks_per_second.max(1);
    Some(OwnUse {
        resident_bytes: number(21)?.saturating_mul(page_bytes),
        virtual_bytes: number(20)?,
        cpu_seconds: std::time::Duration::from_millis(milliseconds).as_secs_f64(),
        threads: number(17)?,
        open_files: 0,
    })
}

#[cfg(test)]
#[path = "proc_tests.rs"]
mod tests;

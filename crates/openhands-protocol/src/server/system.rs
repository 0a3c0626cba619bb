//! How much of the machine a server uses. Only this server has the route.

use crate::wire::wire;

wire! {
    /// How much of the machine is used.
    pub struct SystemStatistics (default) {
        memory: MemoryStatistics,
        cpu: CpuStatistics,
        disk: DiskStatistics,
        processes: ProcessStatistics,
    }

    /// Memory of the machine, and the limit of the container.
    pub struct MemoryStatistics (default) {
        total_bytes: u64,
        available_bytes: u64,
        used_bytes: u64,
        /// None without a limit.
        limit_bytes: Option<u64> = None,
        limit_used_bytes: Option<u64> = None,
    }

    /// Processors of the machine, and the limit of the container.
    pub struct CpuStatistics (default) {
        /// How many the server may use.
        count: u64,
        /// Of all processors, over a tenth of a second.
        used_percent: f64,
        /// Over one, five and fifteen minutes.
        load_average: Vec<f64>,
        /// In processors; none without a limit.
        limit: Option<f64> = None,
    }

    /// The disk on which conversations are kept.
    pub struct DiskStatistics (default) {
        path: String,
        total_bytes: u64,
        available_bytes: u64,
        used_bytes: u64,
    }

    /// Processes of the machine, and what the server itself uses.
    pub struct ProcessStatistics (default) {
        count: u64,
        /// None without a limit.
        limit: Option<u64> = None,
        limit_used: Option<u64> = None,
        server_resident_bytes: u64,
        server_cpu_seconds: f64,
        server_open_files: u64,
        server_threads: u64,
    }
}

//! The other routes of the sandbox server.

use indexmap::IndexMap;

use crate::secret::Secret;
use crate::wire::wire;

wire! {
    /// Whether the server lives.
    pub struct AliveStatus (default) {
        status: String,
    }

    /// Memory of the server process.
    pub struct MemoryUse (default) {
        rss: u64,
        vms: u64,
        percent: f64,
    }

    /// The root file system.
    pub struct DiskUse (default) {
        total: u64,
        used: u64,
        free: u64,
        percent: f64,
    }

    /// Bytes read and written by the server process.
    pub struct IoUse (default) {
        read_bytes: u64,
        write_bytes: u64,
    }

    /// What the server uses.
    pub struct SystemResources (default) {
        cpu_percent: f64,
        memory: MemoryUse,
        disk: DiskUse,
        io: IoUse,
    }

    /// Times and resources of the server.
    pub struct ServerInfo (default) {
        uptime: f64,
        idle_time: f64,
        resources: SystemResources,
    }

    /// A directory to list; the working directory when absent.
    pub struct ListFilesRequest (default) {
        path when some: Option<String> = None,
    }

    /// A file was stored.
    pub struct UploadedFile (default) {
        filename: String,
        destination: String,
        recursive: bool,
    }

    /// The key of the editor.
    pub struct ConnectionToken (default) {
        token: Option<Secret> = None,
    }

    /// A server of the Model Context Protocol to start.
    pub struct McpStdioServer (default) {
        name: String,
        command: String,
        args: Vec<String> = Vec::new(),
        env: IndexMap<String, Secret> = IndexMap::new(),
    }

    /// The servers were started.
    pub struct McpServerUpdated (default) {
        detail: String,
        router_error_log: String = String::new(),
    }
}

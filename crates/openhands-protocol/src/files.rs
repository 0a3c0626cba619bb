//! Files and directories on the server.

use crate::wire::wire;

wire! {
    /// A place to start browsing.
    pub struct FileBrowserEntry (default) {
        label: String,
        path: String,
    }

    /// Places to start browsing.
    pub struct HomeResponse (default) {
        home: String,
        favorites: Vec<FileBrowserEntry> = Vec::new(),
        locations: Vec<FileBrowserEntry> = Vec::new(),
    }

    /// A directory.
    pub struct SubdirectoryEntry (default) {
        name: String,
        path: String,
    }

    /// A file was stored.
    pub struct FileUploadResult (default) {
        success: bool = true,
        file_size: u64,
    }
}

wire! {
    /// `archive_manifest.json` inside an archive of a directory.
    pub struct ArchiveManifest (default) {
        excludes: Vec<String> = Vec::new(),
        file_count: u64,
        format: String,
        source: String,
        total_bytes: u64,
    }
}

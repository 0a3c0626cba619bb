//! Files and directories on the server.

use crate::ids::ConversationId;
use crate::text::words;
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

words! {
    /// How a directory is archived.
    pub enum ArchiveFormat {
        /// The changes since a commit, as a patch.
        GitDelta = "git-delta",
        /// All files.
        TarGz = "tar.gz",
    }
}

wire! {
    /// Where to start browsing.
    pub struct HomeQuery (default) {
        /// Also directories whose names begin with a dot.
        include_hidden: bool = false,
    }

    /// Which directories to list.
    pub struct SearchSubdirsQuery (default) {
        /// The directory above them, absolute.
        path: String,
        /// `next_page_id` of the page before.
        page_id: Option<String> = None,
        /// How many at most.
        limit in [gt(0.0) le(100.0)]: i64 = 100,
        /// Also those whose names begin with a dot.
        include_hidden: bool = false,
    }

    /// Where to put a file.
    pub struct UploadQuery (default) {
        /// The file, absolute.
        path: String,
    }

    /// Which file to get.
    pub struct DownloadQuery (default) {
        /// The file, absolute.
        path: String,
    }

    /// Which directory to make.
    pub struct CreateDirectoryQuery (default) {
        /// The directory, absolute.
        path: String,
    }

    /// What to archive, and how.
    pub struct ArchiveQuery (default) {
        /// The directory, absolute. If it is in no repository and has exactly one repository up to three levels
        /// below, that one is archived.
        path: String,
        /// A patch of the changes, or all files.
        format: ArchiveFormat = ArchiveFormat::GitDelta,
        /// The commit that the patch starts from; otherwise what fits best.
        base_ref: Option<String> = None,
        /// Whether dependencies, caches and build results are left out.
        use_default_excludes: bool = true,
        /// What else is left out.
        exclude: Option<Vec<String>> = None,
    }

    /// The conversation whose trajectory is wanted.
    pub struct TrajectoryPath {
        /// Its id.
        conversation_id: ConversationId,
    }
}

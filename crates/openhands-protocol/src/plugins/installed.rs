//! The file that remembers what is installed.

use indexmap::IndexMap;

use crate::wire::wire;

wire! {
    /// One installed skill, plugin or extension.
    pub struct InstalledExtension (default) {
        name: String,
        version: String = String::new(),
        description: String = String::new(),
        enabled: bool = true,
        source: String,
        requested_ref: Option<String> = None,
        resolved_ref: Option<String> = None,
        repo_path: Option<String> = None,
        installed_at: String,
        install_path: String,
    }

    /// `.installed.json`.
    pub struct InstalledExtensions (default) {
        extensions: IndexMap<String, InstalledExtension> = IndexMap::new(),
    }
}

//! Files about plugins: what is installed, and what a marketplace offers.

use indexmap::IndexMap;

use crate::json::Json;
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

wire! {
    /// Who runs a marketplace.
    pub struct MarketplaceOwner (default) {
        name: String,
    }

    /// A plugin or skill that a marketplace offers.
    pub struct MarketplaceEntry (default) {
        name: String,
        /// A path, or an object that says where to fetch it.
        source: Json = Json::NULL,
        description when some: Option<String> = None,
    }

    /// `marketplace.json`.
    pub struct Marketplace (default) {
        name: String,
        owner when some: Option<MarketplaceOwner> = None,
        plugins: Vec<MarketplaceEntry> = Vec::new(),
        skills: Vec<MarketplaceEntry> = Vec::new(),
    }
}

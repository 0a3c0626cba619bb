//! Bundles of skills, commands and hooks.

use indexmap::IndexMap;

use crate::json::Json;
use crate::secrets::SecretSource;
use crate::wire::wire;

wire! {
    /// Where a plugin comes from.
    pub struct PluginSource (default) {
        source: String,
        git_ref as "ref": Option<String> = None,
        repo_path: Option<String> = None,
    }

    /// A skill of a plugin.
    pub struct PluginSkillSummary (default) {
        name: String,
        description: Option<String> = None,
    }

    /// Which plugins to list.
    pub struct PluginsRequest (default) {
        load_user: bool = true,
        load_project: bool = true,
        project_dir: Option<String> = None,
    }

    /// A plugin.
    pub struct PluginInfo (default) {
        name: String,
        version: String = String::new(),
        description: String = String::new(),
        path: String = String::new(),
        skills: Vec<PluginSkillSummary> = Vec::new(),
        files: Vec<String> = Vec::new(),
    }

    /// The plugins.
    pub struct PluginsResponse (default) {
        plugins: Vec<PluginInfo>,
    }

    /// A plugin to fetch without installing it.
    pub struct FetchPluginRequest (default) {
        source in [min_length(1)]: String,
        git_ref as "ref": Option<String> = None,
        repo_path: Option<String> = None,
        secrets: IndexMap<String, SecretSource> = IndexMap::new(),
        timeout in [ge(1.0) le(600.0)]: i64 = 60,
    }

    /// A fetched plugin.
    pub struct FetchPluginResponse (default) {
        path: String,
        resolved_ref: Option<String>,
        source: String,
        repo_path: Option<String>,
        manifest: IndexMap<String, Json>,
        skills: Vec<String>,
        commands: Vec<String>,
    }

    /// An installed plugin in the path.
    pub struct PluginPath (default) {
        /// Its name.
        plugin_name in [min_length(1) max_length(255) pattern("^[a-z0-9]+(?:-[a-z0-9]+)*$")]: String,
    }

    /// A plugin to install.
    pub struct InstallPluginRequest (default) {
        source in [min_length(1)]: String,
        git_ref as "ref": Option<String> = None,
        repo_path: Option<String> = None,
        force: bool = false,
    }

    /// An installed plugin.
    pub struct InstalledPluginResponse (default) {
        name: String,
        version: String = String::new(),
        description: String = String::new(),
        enabled: bool = true,
        source: String,
        resolved_ref: Option<String> = None,
        repo_path: Option<String> = None,
        installed_at: String,
        install_path: String,
        skills: Option<Vec<PluginSkillSummary>> = None,
        files: Option<Vec<String>> = None,
    }

    /// All installed plugins.
    pub struct InstalledPluginsListResponse (default) {
        plugins: Vec<InstalledPluginResponse>,
    }

    /// Turns a plugin on or off.
    pub struct UpdatePluginStateRequest (default) {
        enabled: bool,
    }

    /// Whether a plugin is on.
    pub struct UpdatePluginStateResponse (default) {
        name: String,
        enabled: bool,
    }

    /// A plugin was fetched again.
    pub struct UpdatePluginResponse (default) {
        message: String,
        plugin: InstalledPluginResponse,
    }

    /// A plugin was removed.
    pub struct UninstallPluginResponse (default) {
        message: String,
    }

    /// A plugin that can be installed.
    pub struct MarketplacePluginInfo (default) {
        name: String,
        description: Option<String>,
        source: String,
        git_ref as "ref": Option<String> = None,
        repo_path: Option<String> = None,
        installed: bool,
        path: Option<String> = None,
        skills: Option<Vec<PluginSkillSummary>> = None,
        files: Option<Vec<String>> = None,
    }

    /// Plugins that can be installed.
    pub struct PluginMarketplaceResponse (default) {
        plugins: Vec<MarketplacePluginInfo>,
    }
}

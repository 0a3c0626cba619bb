//! Plugins: bundles of skills, commands and hooks.

mod catalog;
mod installed;

pub use catalog::{
    FetchPluginRequest, FetchPluginResponse, InstallPluginRequest, InstalledPluginResponse,
    InstalledPluginsListResponse, MarketplacePluginInfo, PluginInfo, PluginMarketplaceResponse,
    PluginPath, PluginSkillSummary, PluginSource, PluginsRequest, PluginsResponse,
    UninstallPluginResponse, UpdatePluginResponse, UpdatePluginStateRequest,
    UpdatePluginStateResponse,
};
pub use installed::{
    InstalledExtension, InstalledExtensions, Marketplace, MarketplaceEntry, MarketplaceOwner,
};

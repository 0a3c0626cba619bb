//! Skills: knowledge for special tasks.

mod catalog;
mod skill;

pub use catalog::{
    ExposedUrl, InstallSkillRequest, InstalledSkillResponse, InstalledSkillsListResponse,
    MarketplaceRegistration, MarketplaceSkillInfo, OrgConfig, SandboxConfig, SkillCatalogEntry,
    SkillCatalogResponse, SkillInfo, SkillMarketplaceResponse, SkillOrigin, SkillPath, SkillType,
    SkillsRequest, SkillsResponse, SyncResponse, SyncStatus, UninstallSkillResponse,
    UpdateSkillResponse, UpdateSkillStateRequest, UpdateSkillStateResponse,
};
pub use skill::{
    InputMetadata, KeywordTrigger, PathTrigger, Skill, SkillResources, SkillTrigger, TaskTrigger,
};

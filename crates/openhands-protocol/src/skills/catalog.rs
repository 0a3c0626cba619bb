//! Listing, loading and installing skills.

use indexmap::IndexMap;

use crate::json::Json;
use crate::schema::{Branch, Described, Schema};
use crate::text::words;
use crate::wire::wire;

words! {
    /// What sort of skill it is.
    pub open enum SkillType {
        Repo = "repo",
        Knowledge = "knowledge",
        Agentskills = "agentskills",
    }
}

words! {
    /// Where a skill of the catalog comes from.
    pub open enum SkillOrigin {
        Public = "public",
        User = "user",
    }
}

words! {
    /// Whether the public skills were fetched.
    pub open enum SyncStatus {
        Success = "success",
        Error = "error",
    }
}

wire! {
    /// A place to get skills and plugins from.
    pub struct MarketplaceRegistration (default) {
        name: String,
        source: String,
        git_ref as "ref": Option<String> = None,
        repo_path: Option<String> = None,
        auto_load in [schema(automatic)]: Json = Json(false.into()),
    }

    /// The repository with the skills of an organisation.
    pub struct OrgConfig (default) {
        repository: String,
        provider: String,
        org_repo_url: String,
        org_name: String,
    }

    /// An address at which a sandbox can be reached.
    pub struct ExposedUrl (default) {
        name: String,
        url: String,
        port: i64,
    }

    /// What a sandbox offers.
    pub struct SandboxConfig (default) {
        exposed_urls: Vec<ExposedUrl> = Vec::new(),
    }

    /// Which skills to load.
    pub struct SkillsRequest (default) {
        load_public: bool = true,
        load_user: bool = true,
        load_project: bool = true,
        load_org: bool = true,
        marketplace_path: Option<String> = Some("marketplaces/default.json".to_owned()),
        registered_marketplaces: Vec<MarketplaceRegistration> = Vec::new(),
        project_dir: Option<String> = None,
        org_configs: Option<Vec<OrgConfig>> = None,
        sandbox_config: Option<SandboxConfig> = None,
    }

    /// A loaded skill.
    pub struct SkillInfo (default) {
        name: String,
        kind as "type": SkillType,
        content: String,
        triggers: Vec<String> = Vec::new(),
        source: Option<String> = None,
        description: Option<String> = None,
        is_agentskills_format: bool = false,
        disable_model_invocation: bool = false,
    }

    /// The loaded skills, and how many came from where.
    pub struct SkillsResponse (default) {
        skills: Vec<SkillInfo>,
        sources: IndexMap<String, i64> = IndexMap::new(),
    }

    /// A skill of the catalog.
    pub struct SkillCatalogEntry (default) {
        name: String,
        kind as "type": SkillType,
        content: String,
        triggers: Vec<String> = Vec::new(),
        source: Option<String> = None,
        description: Option<String> = None,
        is_agentskills_format: bool = false,
        disable_model_invocation: bool = false,
        origin: SkillOrigin,
    }

    /// The catalog.
    pub struct SkillCatalogResponse (default) {
        skills: Vec<SkillCatalogEntry>,
    }

    /// What fetching the public skills came to.
    pub struct SyncResponse (default) {
        status: SyncStatus,
        message: String,
    }

    /// An installed skill in the path.
    pub struct SkillPath (default) {
        /// Its name.
        skill_name in [min_length(1) max_length(255) pattern("^[a-z0-9]+(-[a-z0-9]+)*$")]: String,
    }

    /// A skill to install.
    pub struct InstallSkillRequest (default) {
        source in [min_length(1)]: String,
        git_ref as "ref": Option<String> = None,
        repo_path: Option<String> = None,
        force: bool = false,
    }

    /// An installed skill.
    pub struct InstalledSkillResponse (default) {
        name: String,
        version: String = String::new(),
        description: String = String::new(),
        enabled: bool = true,
        source: String,
        resolved_ref: Option<String> = None,
        repo_path: Option<String> = None,
        installed_at: String,
        install_path: String,
    }

    /// All installed skills.
    pub struct InstalledSkillsListResponse (default) {
        skills: Vec<InstalledSkillResponse>,
    }

    /// Turns a skill on or off.
    pub struct UpdateSkillStateRequest (default) {
        enabled: bool,
    }

    /// Whether a skill is on.
    pub struct UpdateSkillStateResponse (default) {
        name: String,
        enabled: bool,
    }

    /// A skill was fetched again.
    pub struct UpdateSkillResponse (default) {
        message: String,
        skill: InstalledSkillResponse,
    }

    /// A skill was removed.
    pub struct UninstallSkillResponse (default) {
        message: String,
    }

    /// A skill that can be installed.
    pub struct MarketplaceSkillInfo (default) {
        name: String,
        description: Option<String>,
        source: String,
        installed: bool,
    }

    /// Skills that can be installed.
    pub struct SkillMarketplaceResponse (default) {
        skills: Vec<MarketplaceSkillInfo>,
    }
}

/// Whether everything is loaded at once, or what is.
fn automatic() -> &'static Schema {
    &Schema::OneOf(&[
        Branch {
            label: "bool",
            schema: bool::schema,
        },
        Branch {
            label: "list[str]",
            schema: <Vec<String>>::schema,
        },
    ])
}

//! What an agent is told besides its task.

use indexmap::IndexMap;

use crate::secrets::SecretInput;
use crate::skills::MarketplaceRegistration;
use crate::skills::Skill;
use crate::wire::wire;

wire! {
    /// Skills, memory and texts for the prompt.
    pub struct AgentContext (default) {
        skills: Vec<Skill> = Vec::new(),
        system_message_suffix: Option<String> = None,
        user_message_suffix: Option<String> = None,
        load_user_skills: bool = false,
        load_public_skills: bool = false,
        marketplace_path: Option<String> = Some("marketplaces/default.json".to_owned()),
        registered_marketplaces: Vec<MarketplaceRegistration> = Vec::new(),
        load_project_skills: bool = false,
        load_memory: bool = false,
        disabled_skills: Vec<String> = Vec::new(),
        secrets: Option<IndexMap<String, SecretInput>> = None,
        current_datetime: Option<String> = None,
        memory_context when some: Option<String> = None,
    }
}

//! Reading and changing settings.

use crate::json::JsonObject;
use crate::patch::Patch;
use crate::settings::AgentSettings;
use crate::settings::ConversationSettings;
use crate::settings::OpenHandsAgentSettings;
use crate::wire::wire;

wire! {
    /// All settings. The free-form parts are in the form that was asked for.
    pub struct SettingsResponse (default) {
        agent_settings: JsonObject,
        conversation_settings: JsonObject,
        llm_api_key_is_set: bool,
        active_profile: Option<String> = None,
        active_agent_profile_id: Option<String> = None,
        active_meta_profile: Option<String> = None,
        misc_settings: JsonObject = JsonObject::new(),
    }

    /// Changes, merged into the settings.
    pub struct SettingsUpdateRequest (default) {
        agent_settings_diff when present: Patch<JsonObject> = Patch::Absent,
        conversation_settings_diff when present: Patch<JsonObject> = Patch::Absent,
        misc_settings_diff when present: Patch<JsonObject> = Patch::Absent,
        active_profile when present in [pattern("^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]: Patch<String> = Patch::Absent,
        active_agent_profile_id when present in [pattern("^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$")]: Patch<String> = Patch::Absent,
        active_meta_profile when present in [pattern("^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]: Patch<String> = Patch::Absent,
    }
}

wire! {
    /// Which server of tools.
    pub struct McpServerPath (default) {
        settings_key: String,
    }
}

wire! {
    /// `settings.json`.
    pub struct StoredSettings (default) {
        schema_version: i64 = 6,
        agent_settings: AgentSettings = AgentSettings::default(),
        conversation_settings: ConversationSettings = ConversationSettings::default(),
        active_profile: Option<String> = None,
        active_agent_profile_id: Option<String> = None,
        active_meta_profile: Option<String> = None,
        misc_settings: JsonObject = JsonObject::new(),
    }
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self::OpenHands(OpenHandsAgentSettings::default())
    }
}

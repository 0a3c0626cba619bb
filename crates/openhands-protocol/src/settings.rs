//! Settings: how new agents and conversations are made.

mod agent;
mod api;
mod condenser;
mod conversation;
mod schema;

pub use agent::{AcpAgentSettings, AgentSettings, OpenHandsAgentSettings, VerificationSettings};
pub use api::{McpServerPath, SettingsResponse, SettingsUpdateRequest, StoredSettings};
pub use condenser::{CondenserSettings, LlmSummarizingCondenserSettings, NoOpCondenserSettings};
pub use conversation::{ConversationSettings, DefaultRuntime};
pub use schema::{
    SettingProminence, SettingValueType, SettingsChoice, SettingsFieldSchema, SettingsSchema,
    SettingsSectionSchema,
};

//! The forms with which a page edits settings: facts about the fields, shipped as data.

use std::sync::LazyLock;

use openhands_protocol::settings::SettingsSchema;

type Parsed = LazyLock<Result<SettingsSchema, String>>;

static AGENT: Parsed = LazyLock::new(|| parse(include_str!("../../../data/agent-schema.json")));
static CONVERSATION: Parsed =
    LazyLock::new(|| parse(include_str!("../../../data/conversation-schema.json")));

/// The form of agent settings.
pub(crate) fn agent() -> Result<&'static SettingsSchema, &'static str> {
    AGENT.as_ref().map_err(String::as_str)
}

/// The form of conversation settings.
pub(crate) fn conversation() -> Result<&'static SettingsSchema, &'static str> {
    CONVERSATION.as_ref().map_err(String::as_str)
}

fn parse(text: &str) -> Result<SettingsSchema, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

//! A saved agent out of JSON: today's shape, and what is wrong with one that does not fit.

use openhands_protocol::Reading;
use openhands_protocol::agent::AgentProfile;
use openhands_protocol::schema::Described;
use openhands_protocol::server::ValidationError;
use serde_json::{Map, Value, json};

use crate::http::{check_part, value_error};
use crate::services::settings::tool_selection;

/// The version that is written now.
const VERSION: i64 = 4;

/// Why a saved agent is refused.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Refusal {
    /// All that is wrong with it.
    Problems(Vec<ValidationError>),
    /// It says that it is of a version that nobody knows.
    Version,
}

/// Reads what a client sent. The name in the path is the name, whatever the members say.
pub(crate) fn request(
    mut members: Map<String, Value>,
    name: &str,
) -> Result<AgentProfile, Refusal> {
    members.insert("name".to_owned(), json!(name));
    migrate(&mut members).map_err(|_| Refusal::Version)?;
    let kind = kind_of(&members);
    let shown = Value::Object(members);
    let refused = |place: &[&str], message: &str| {
        Refusal::Problems(vec![value_error(place, message, &shown)])
    };
    let has_switch = tool_selection::RETIRED_SWITCHES
        .iter()
        .any(|switch| shown.get(switch).is_some());
    if has_switch && kind == "openhands" {
        let message = "Retired tool switches were removed; select tools instead.";
        return Err(refused(&[&kind], message));
    }
    let checked = check_part(AgentProfile::schema(), shown.clone());
    let profile = Reading::lenient()
        .from_value(checked.map_err(Refusal::Problems)?)
        .map_err(|error| refused(&[&kind], &error.to_string()))?;
    settle(profile).map_err(|problem| refused(&[&kind, "tools"], &problem))
}

/// Reads what a file holds. The error is a sentence.
pub(crate) fn stored(mut members: Map<String, Value>) -> Result<AgentProfile, String> {
    migrate(&mut members)?;
    let profile: AgentProfile = Reading::lenient()
        .coercing()
        .from_value(Value::Object(members))
        .map_err(|error| error.to_string())?;
    settle(profile)
}

fn kind_of(members: &Map<String, Value>) -> String {
    match members.get("agent_kind") {
        None => "openhands".to_owned(),
        Some(Value::String(kind)) => kind.clone(),
        Some(other) => other.to_string(),
    }
}

fn settle(mut profile: AgentProfile) -> Result<AgentProfile, String> {
    match &mut profile {
        AgentProfile::OpenHands(profile) => {
            if let Some(tools) = profile.tools.take() {
                tool_selection::check_parameters(&tools)?;
                profile.tools = Some(tool_selection::merge_duplicates(tools));
            }
        }
        AgentProfile::Acp(_) => {}
        AgentProfile::Unknown(raw) => {
            return Err(raw
                .problem()
                .unwrap_or("agent_kind is not known")
                .to_owned());
        }
    }
    Ok(profile)
}

/// Brings the members of an older version into today's shape. One without a version is of today's.
fn migrate(members: &mut Map<String, Value>) -> Result<(), String> {
    let version = match members.get("schema_version") {
        None | Some(Value::Null) => VERSION,
        Some(version) => version
            .as_i64()
            .ok_or("AgentProfile schema_version must be an integer")?,
    };
    if !(1..=VERSION).contains(&version) {
        return Err(format!(
            "AgentProfile schema_version {version} is not known"
        ));
    }
    let is_openhands = kind_of(members) == "openhands";
    if version <= 1 {
        members.shift_remove("skills");
        // How the standard set of tools was written once.
        let is_seed = members.get("name").and_then(Value::as_str) == Some("default")
            && members.get("revision").and_then(Value::as_i64).unwrap_or(0) == 0;
        if is_openhands && is_seed && members.get("tools") == Some(&json!([])) {
            members.insert("tools".to_owned(), Value::Null);
        }
    }
    if version <= 2 && is_openhands {
        tool_selection::fold_switches(members)?;
    }
    if version < VERSION {
        tool_selection::drop_switches(members);
    }
    members.insert("schema_version".to_owned(), json!(VERSION));
    Ok(())
}

#[cfg(test)]
#[path = "profile_input_tests.rs"]
mod tests;

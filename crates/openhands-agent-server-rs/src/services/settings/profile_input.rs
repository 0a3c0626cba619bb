//! A saved agent out of JSON: today's shape, and what is wrong with one that does not fit.

use openhands_protocol::agent::AgentProfile;
use openhands_protocol::{Reading, Wire};
use serde_json::{Map, Value, json};

use crate::services::settings::tool_selection;

/// The version that is written now.
const VERSION: i64 = 4;

/// What is wrong with a value, and where.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Problem {
    /// The members that lead there.
    pub(crate) place: Vec<Value>,
    /// What kind of problem it is, in pydantic's words.
    pub(crate) kind: &'static str,
    /// A sentence.
    pub(crate) message: String,
}

/// Why a saved agent is refused.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Refusal {
    /// All that is wrong with it.
    Problems(Vec<Problem>),
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
    check(&members).map_err(Refusal::Problems)?;
    let kind = kind_of(&members);
    let value = |message: String, place: Vec<Value>| {
        Refusal::Problems(vec![Problem {
            place,
            kind: "value_error",
            message: format!("Value error, {message}"),
        }])
    };
    let profile: AgentProfile = Reading::strict()
        .coercing()
        .from_value(Value::Object(members))
        .map_err(|error| value(error.to_string(), vec![json!(kind)]))?;
    settle(profile).map_err(|problem| value(problem, vec![json!(kind), json!("tools")]))
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

/// Checks what the type itself does not refuse.
fn check(members: &Map<String, Value>) -> Result<(), Vec<Problem>> {
    let kind = kind_of(members);
    if !AgentProfile::KINDS.contains(&kind.as_str()) {
        return Err(vec![Problem {
            place: Vec::new(),
            kind: "union_tag_invalid",
            message: format!(
                "Input tag '{kind}' found using _agent_profile_discriminator() does not match any of the expected \
                 tags: 'openhands', 'acp'"
            ),
        }]);
    }
    if kind == "openhands"
        && tool_selection::RETIRED_SWITCHES
            .iter()
            .any(|switch| members.contains_key(*switch))
    {
        return Err(vec![Problem {
            place: vec![json!(kind)],
            kind: "value_error",
            message: "Value error, Retired tool switches were removed; select tools instead."
                .to_owned(),
        }]);
    }
    let mut problems = Vec::new();
    if kind == "openhands" && !members.contains_key("llm_profile_ref") {
        problems.push(Problem {
            place: vec![json!(kind), json!("llm_profile_ref")],
            kind: "missing",
            message: "Field required".to_owned(),
        });
    }
    let fields = match kind.as_str() {
        "acp" => openhands_protocol::agent::AcpAgentProfile::FIELDS,
        _ => openhands_protocol::agent::OpenHandsAgentProfile::FIELDS,
    };
    for member in members.keys() {
        if member != AgentProfile::TAG && !fields.contains(&member.as_str()) {
            problems.push(Problem {
                place: vec![json!(kind), json!(member)],
                kind: "extra_forbidden",
                message: "Extra inputs are not permitted".to_owned(),
            });
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}

#[cfg(test)]
#[path = "profile_input_tests.rs"]
mod tests;

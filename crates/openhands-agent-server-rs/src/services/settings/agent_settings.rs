//! Agent settings out of JSON: today's shape, defaults that depend on the moment, rules between members.

use indexmap::IndexMap;
use openhands_protocol::agent::AgentContext;
use openhands_protocol::llm::Llm;
use openhands_protocol::mcp::{McpAuth, McpServer};
use openhands_protocol::schema::Described;
use openhands_protocol::secrets::SecretInput;
use openhands_protocol::server::{ErrorLocation, ValidationError};
use openhands_protocol::settings::{
    AcpAgentSettings, AgentSettings, CondenserSettings, LlmSummarizingCondenserSettings,
    NoOpCondenserSettings, OpenHandsAgentSettings, VerificationSettings,
};
use openhands_protocol::{Reading, Secret, StarredSecret, UtcTime, Wire};
use serde_json::{Map, Value, json};

use crate::http::check_part;
use crate::services::settings::llm_input;
use crate::services::settings::migrate::{self, Origin};
use crate::services::settings::sealing::{Opening, Sealing};
use crate::services::settings::tool_selection::RETIRED_SWITCHES;

/// Reads agent settings that a client sent. Tokens of this server are opened; blank secrets and stars are none. The
/// error is a sentence for the client; it may quote what was sent.
pub(crate) fn read(
    settings: Map<String, Value>,
    sealing: &Sealing,
) -> Result<AgentSettings, String> {
    let mut settings = migrate::agent_settings(settings, Origin::Request)?;
    fill(&mut settings)?;
    let checked = check_part(AgentSettings::schema(), Value::Object(settings));
    let settings = checked.map_err(|errors| sentences(&errors))?;
    typed(settings, &sealing.opening(Reading::lenient()))
}

/// Reads agent settings out of a file. What a newer version wrote into it stays in it.
pub(crate) fn read_stored(
    settings: Map<String, Value>,
    opening: &Opening,
) -> Result<AgentSettings, String> {
    let mut settings = migrate::agent_settings(settings, Origin::Stored)?;
    fill(&mut settings)?;
    typed(Value::Object(settings), opening)
}

fn typed(settings: Value, opening: &Opening) -> Result<AgentSettings, String> {
    let read = opening.reading.from_value(settings);
    settle(read.map_err(|error| error.to_string())?)
}

/// All that is wrong, with the places.
fn sentences(errors: &[ValidationError]) -> String {
    let sentence = |error: &ValidationError| {
        let place: Vec<String> = error
            .loc
            .iter()
            .map(|step| match step {
                ErrorLocation::Name(name) => name.clone(),
                ErrorLocation::Index(index) => index.to_string(),
            })
            .collect();
        format!("{}: {}", place.join("."), error.msg)
    };
    let sentences: Vec<String> = errors.iter().map(sentence).collect();
    sentences.join("; ")
}

/// Fills in what a default of the type cannot say: it depends on other members, or on the time.
fn fill(settings: &mut Map<String, Value>) -> Result<(), String> {
    let is_acp = settings.get("agent_kind").and_then(Value::as_str) == Some("acp");
    if is_acp {
        if !settings.contains_key("acp_file_secrets") {
            settings.insert("acp_file_secrets".to_owned(), acp_file_secrets());
        }
    } else {
        settings.entry("agent_context").or_insert_with(|| json!({}));
        if settings.get("agent_context").is_some_and(Value::is_null) {
            return Err("agent_context must be an object".to_owned());
        }
        if let Some(Value::Object(llm)) = settings.get_mut("llm") {
            llm_input::settle(llm)?;
        }
    }
    if let Some(Value::Object(context)) = settings.get_mut("agent_context")
        && !context.contains_key("current_datetime")
    {
        let now = json!(UtcTime::now().to_string());
        context.insert("current_datetime".to_owned(), now);
    }
    Ok(())
}

/// The settings of a server that was told nothing.
pub(crate) fn default_settings() -> AgentSettings {
    AgentSettings::OpenHands(OpenHandsAgentSettings {
        agent_context: Some(AgentContext {
            current_datetime: Some(UtcTime::now().to_string()),
            ..AgentContext::default()
        }),
        ..OpenHandsAgentSettings::default()
    })
}

/// Drops the members of a change that no settings have. What a file has besides them stays.
pub(crate) fn without_unknown(changes: &mut Map<String, Value>) {
    let keep = |members: &mut Map<String, Value>, tag: &str, fields: &[&[&str]]| {
        members.retain(|name, _| {
            name == tag || fields.iter().any(|known| known.contains(&name.as_str()))
        });
    };
    // The switches are refused later, by name.
    let all: &[&[&str]] = &[
        OpenHandsAgentSettings::FIELDS,
        AcpAgentSettings::FIELDS,
        &RETIRED_SWITCHES,
    ];
    keep(changes, AgentSettings::TAG, all);
    let parts: [(&str, &str, &[&[&str]]); 4] = [
        ("llm", "", &[Llm::FIELDS]),
        ("agent_context", "", &[AgentContext::FIELDS]),
        ("verification", "", &[VerificationSettings::FIELDS]),
        (
            "condenser",
            CondenserSettings::TAG,
            &[
                LlmSummarizingCondenserSettings::FIELDS,
                NoOpCondenserSettings::FIELDS,
            ],
        ),
    ];
    for (part, tag, fields) in parts {
        if let Some(Value::Object(members)) = changes.get_mut(part) {
            keep(members, tag, fields);
        }
    }
}

/// Drops secrets that are none.
fn settle(mut settings: AgentSettings) -> Result<AgentSettings, String> {
    match &mut settings {
        AgentSettings::OpenHands(settings) => {
            settle_servers(&mut settings.mcp_config);
            settle_context(settings.agent_context.as_mut());
            drop_lost(&mut settings.verification.critic_api_key);
            llm_input::drop_lost(&mut settings.llm);
            for llm in settings.meta_profile_llms.values_mut() {
                llm_input::drop_lost(llm);
            }
        }
        AgentSettings::Acp(settings) => {
            settle_servers(&mut settings.mcp_config);
            settle_context(settings.agent_context.as_mut());
        }
        AgentSettings::Unknown(raw) => {
            let problem = raw.problem().unwrap_or("agent_kind is not known");
            return Err(problem.to_owned());
        }
    }
    Ok(settings)
}

fn drop_lost(secret: &mut Option<Secret>) {
    if secret
        .as_ref()
        .is_some_and(|secret| secret.expose().is_none())
    {
        *secret = None;
    }
}

fn settle_context(context: Option<&mut AgentContext>) {
    if let Some(secrets) = context.and_then(|context| context.secrets.as_mut()) {
        secrets.retain(|_, secret| match secret {
            SecretInput::Plain(secret) => secret.expose().is_some(),
            SecretInput::Source(_) => true,
        });
    }
}

/// Drops the secrets of servers that are none.
fn settle_servers(servers: &mut IndexMap<String, McpServer>) {
    for server in servers.values_mut() {
        for secrets in [&mut server.env, &mut server.headers].into_iter().flatten() {
            secrets.retain(|_, secret| secret.expose().is_some());
        }
        settle_auth(server.auth.as_mut());
    }
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "a reference to a reference would be no better"
)]
fn settle_auth(auth: Option<&mut McpAuth>) {
    let forget = |secret: &mut Option<StarredSecret>| {
        if secret
            .as_ref()
            .is_some_and(|secret| secret.expose().is_none())
        {
            *secret = None;
        }
    };
    match auth {
        Some(McpAuth::ApiKey(auth)) => forget(&mut auth.value),
        Some(McpAuth::Bearer(auth)) => forget(&mut auth.value),
        Some(McpAuth::Basic(auth)) => forget(&mut auth.password),
        Some(McpAuth::Header(auth)) => {
            auth.headers.retain(|_, secret| secret.expose().is_some());
        }
        Some(McpAuth::Oauth(auth)) => {
            if let Some(authentication) = &mut auth.authentication {
                forget(&mut authentication.client_secret);
            }
            if let Some(state) = &mut auth.state {
                if let Some(tokens) = &mut state.tokens {
                    forget(&mut tokens.access_token);
                    forget(&mut tokens.refresh_token);
                }
                if let Some(client) = &mut state.client_info {
                    forget(&mut client.client_secret);
                }
            }
        }
        Some(McpAuth::None(_) | McpAuth::Unknown(_)) | None => {}
    }
}

/// Files in which external agents look for their logins.
fn acp_file_secrets() -> Value {
    json!([
        {"secret_name": "CODEX_AUTH_JSON", "filename": "auth.json", "env_var": "CODEX_HOME", "subdir": "codex",
         "env_points_to": "dir", "warn_if_unset": []},
        {"secret_name": "GOOGLE_APPLICATION_CREDENTIALS_JSON", "filename": "gcloud-credentials.json",
         "env_var": "GOOGLE_APPLICATION_CREDENTIALS", "subdir": "gemini-cli", "env_points_to": "file",
         "warn_if_unset": ["GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"]},
        {"secret_name": "KIMI_CODE_CONFIG_TOML", "filename": "config.toml", "env_var": "KIMI_CODE_HOME",
         "subdir": "kimi-code", "env_points_to": "dir", "warn_if_unset": []},
        {"secret_name": "PI_AUTH_JSON", "filename": "auth.json", "env_var": "PI_CODING_AGENT_DIR", "subdir": "pi",
         "env_points_to": "dir", "warn_if_unset": []}
    ])
}

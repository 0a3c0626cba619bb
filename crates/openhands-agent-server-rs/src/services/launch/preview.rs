//! What would come of a saved agent if it were started: a report, and never an error.

use openhands_protocol::agent::{
    AcpAgentProfile, AcpServer, AgentContext, AgentProfile, AgentProfileDiagnostics,
    OpenHandsAgentProfile,
};
use openhands_protocol::settings::{AcpAgentSettings, AgentSettings, StoredSettings};
use openhands_protocol::tool::Tool;
use serde_json::{Map, Value};

use super::error::LaunchError;
use super::resolve::servers;
use super::{Launches, build, finish, loads_memory};
use crate::services::settings::agent_settings;
use crate::services::settings::error::StoreError;
use crate::services::settings::sealing::{Exposure, Sealing, is_set};
use crate::services::settings::settings_store::{answer, plain};
use crate::services::settings::shell_words;
use crate::services::settings::tool_selection::{self, BROWSER};

impl Launches {
    /// What would come of a saved agent.
    pub(crate) async fn preview(
        &self,
        profile: &AgentProfile,
    ) -> Result<AgentProfileDiagnostics, StoreError> {
        let settings = self.settings().await;
        match profile {
            AgentProfile::OpenHands(profile) => self.preview_own(profile, &settings).await,
            AgentProfile::Acp(profile) => self.preview_external(profile, &settings),
            AgentProfile::Unknown(_) => Err(StoreError::Invalid),
        }
    }

    async fn preview_own(
        &self,
        profile: &OpenHandsAgentProfile,
        settings: &StoredSettings,
    ) -> Result<AgentProfileDiagnostics, StoreError> {
        let (_, keys, _) = servers(settings, profile.mcp_server_refs.as_deref());
        let mut report = AgentProfileDiagnostics {
            agent_kind: "openhands".to_owned(),
            mcp_server_refs: profile.mcp_server_refs.clone(),
            resolved_mcp_config_keys: keys,
            secret_refs: profile.secret_refs.clone(),
            llm_profile_ref: Some(profile.llm_profile_ref.clone()),
            disabled_skills: profile.disabled_skills.clone(),
            public_skills: profile.public_skills.clone(),
            meta_profile_ref: profile.meta_profile_ref.clone(),
            unusable_tools: self.unusable_tools(profile.tools.as_deref()),
            ..AgentProfileDiagnostics::default()
        };
        let failing: Vec<&str> = report
            .unusable_tools
            .iter()
            .map(String::as_str)
            .filter(|name| *name != BROWSER)
            .collect();
        if !failing.is_empty() {
            let names = failing.join(", ");
            report
                .errors
                .push(format!("Tool(s) this server cannot run: {names}"));
        }
        match self.resolved(profile, settings, None).await {
            Ok(mut resolved) => {
                report.llm_profile_resolved = true;
                report.llm_api_key_set = is_set(resolved.llm.api_key.as_ref());
                let tools = tool_selection::for_launch(resolved.tools.as_deref(), self.has_browser);
                resolved.tools = Some(tools);
                let agent = build::agent(resolved.clone(), false, self.has_browser);
                let agent = finish::finish(agent, None, loads_memory(settings));
                report.resolved_skills = skill_names(agent.agent_context.as_ref());
                resolved.agent_context = agent.agent_context;
                if report.errors.is_empty() {
                    self.finish(&mut report, &AgentSettings::OpenHands(resolved))?;
                }
            }
            Err(LaunchError::Unresolved(unresolved)) => {
                report.errors.extend(unresolved.problems());
                if unresolved.llm.is_none() {
                    report.llm_profile_resolved = true;
                    let found = self.references(profile, settings, None).await.ok();
                    let llm = found.and_then(|found| found.llm);
                    report.llm_api_key_set = llm.is_some_and(|llm| is_set(llm.api_key.as_ref()));
                    let skills = self.skills_of(profile).await.into_iter();
                    report.resolved_skills = skills.map(|skill| skill.name).collect();
                }
                report.dangling_mcp_server_refs = unresolved.servers;
                report.dangling_meta_profile_ref = unresolved.rules;
                report.dangling_meta_profile_llm_refs = unresolved.rule_llms;
            }
            Err(error) => report.errors.push(failed(&error)),
        }
        Ok(report)
    }

    fn preview_external(
        &self,
        profile: &AcpAgentProfile,
        settings: &StoredSettings,
    ) -> Result<AgentProfileDiagnostics, StoreError> {
        let (found, keys, missing) = servers(settings, profile.mcp_server_refs.as_deref());
        let logins = Logins::of(&profile.acp_server);
        let mut report = AgentProfileDiagnostics {
            agent_kind: "acp".to_owned(),
            mcp_server_refs: profile.mcp_server_refs.clone(),
            resolved_mcp_config_keys: keys,
            secret_refs: profile.secret_refs.clone(),
            acp_api_key_secret_name: logins.key.map(str::to_owned),
            acp_base_url_secret_name: logins.url.map(str::to_owned),
            acp_file_secret_names: logins.files.iter().map(ToString::to_string).collect(),
            ..AgentProfileDiagnostics::default()
        };
        if !missing.is_empty() {
            let names = missing.join(", ");
            report
                .errors
                .push(format!("MCP server(s) not configured: {names}"));
            report.dangling_mcp_server_refs = missing;
            return Ok(report);
        }
        match external(profile) {
            Ok(mut settings) => {
                settings.mcp_config = found;
                self.finish(&mut report, &AgentSettings::Acp(settings))?;
            }
            Err(problem) => report.errors.push(failed(&problem)),
        }
        Ok(report)
    }

    /// Ends a report about an agent that can be started.
    fn finish(
        &self,
        report: &mut AgentProfileDiagnostics,
        settings: &AgentSettings,
    ) -> Result<(), StoreError> {
        let shown = self
            .stores
            .sealing
            .to_answer(Exposure::Redacted, settings)?;
        report.resolved_settings = Some(answer(shown));
        report.valid = true;
        Ok(())
    }

    /// The tools of a selection that this server does not have.
    fn unusable_tools(&self, selection: Option<&[Tool]>) -> Vec<String> {
        let Some(tools) = selection else {
            return (!self.has_browser)
                .then(|| BROWSER.to_owned())
                .into_iter()
                .collect();
        };
        let is_usable = |name: &str| {
            if name == BROWSER {
                self.has_browser
            } else {
                self.registry.knows(name)
                    || tool_selection::built_in(name).is_some()
                    || openhands_sdk_rs::conversation::has_built_in_tool(name)
            }
        };
        let names = tools.iter().map(|tool| tool.name.clone());
        names.filter(|name| !is_usable(name)).collect()
    }
}

fn failed(problem: &impl std::fmt::Display) -> String {
    format!("Failed to build agent settings: {problem}")
}

fn skill_names(context: Option<&AgentContext>) -> Vec<String> {
    let skills = context.map_or(&[][..], |context| &context.skills);
    skills.iter().map(|skill| skill.name.clone()).collect()
}

/// The settings of an external agent.
fn external(profile: &AcpAgentProfile) -> Result<AcpAgentSettings, String> {
    let command = profile.acp_command.as_deref().unwrap_or_default();
    let command = shell_words::split(command)?;
    if profile.acp_server == AcpServer::Custom && command.is_empty() {
        return Err("acp_command is required when acp_server='custom' \u{2014} there is no default launch command \
                    to fall back to"
            .to_owned());
    }
    let settings = AcpAgentSettings {
        acp_server: profile.acp_server.clone(),
        acp_command: command,
        acp_args: profile.acp_args.clone().unwrap_or_default(),
        acp_model: profile.acp_model.clone(),
        acp_session_mode: profile.acp_session_mode.clone(),
        acp_prompt_timeout: profile.acp_prompt_timeout,
        acp_startup_timeout: profile.acp_startup_timeout,
        agent_context: Some(AgentContext::default()),
        ..AcpAgentSettings::default()
    };
    // The same defaults as settings that a client writes.
    let mut members: Map<String, Value> = plain(&settings).map_err(|error| error.to_string())?;
    members.shift_remove("acp_file_secrets");
    match agent_settings::read(members, &Sealing::default())? {
        AgentSettings::Acp(settings) => Ok(settings),
        AgentSettings::OpenHands(_) | AgentSettings::Unknown(_) => {
            Err("agent_kind is not 'acp'".to_owned())
        }
    }
}

/// The secrets with which an external agent can log in: a key or a file, and an address if it is not the usual one.
struct Logins {
    key: Option<&'static str>,
    url: Option<&'static str>,
    files: &'static [&'static str],
}

impl Logins {
    fn of(server: &AcpServer) -> Self {
        let (key, url, files): (_, _, &[&str]) = match server {
            AcpServer::ClaudeCode => (Some("ANTHROPIC_API_KEY"), Some("ANTHROPIC_BASE_URL"), &[]),
            AcpServer::Codex => (
                Some("OPENAI_API_KEY"),
                Some("OPENAI_BASE_URL"),
                &["CODEX_AUTH_JSON"],
            ),
            AcpServer::GeminiCli => (
                Some("GEMINI_API_KEY"),
                Some("GEMINI_BASE_URL"),
                &["GOOGLE_APPLICATION_CREDENTIALS_JSON"],
            ),
            AcpServer::KimiCode => (None, Some("KIMI_BASE_URL"), &["KIMI_CODE_CONFIG_TOML"]),
            AcpServer::Pi => (Some("ANTHROPIC_API_KEY"), None, &["PI_AUTH_JSON"]),
            AcpServer::Opencode => (Some("OPENCODE_API_KEY"), None, &[]),
            AcpServer::Custom | AcpServer::Other(_) => (None, None, &[]),
        };
        Self { key, url, files }
    }
}

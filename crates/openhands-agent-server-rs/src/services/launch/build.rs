//! An agent out of settings.

use openhands_protocol::agent::{
    Agent, ApiBasedCritic, Condenser, Critic, IterativeRefinementConfig, LlmSummarizingCondenser,
    NoOpCondenser,
};
use openhands_protocol::llm::{Llm, LlmAuthType};
use openhands_protocol::settings::{
    CondenserSettings, LlmSummarizingCondenserSettings, OpenHandsAgentSettings,
};
use openhands_protocol::tool::Tool;
use openhands_protocol::{Form, Secret};
use openhands_sdk_rs::llm::ModelFeatures;
use serde_json::{Map, Value, json};

use crate::services::settings::sealing::is_set;
use crate::services::settings::tool_selection;

/// Under which name the use of the condenser's model is counted.
const CONDENSER_USAGE: &str = "condenser";

/// The agent that settings describe.
pub(super) fn agent(
    settings: OpenHandsAgentSettings,
    inherits_limit: bool,
    has_browser: bool,
) -> Agent {
    let critic = critic(&settings);
    let condenser = condenser(&settings.condenser, &settings.llm, inherits_limit);
    let tools = tool_selection::for_launch(settings.tools.as_deref(), has_browser);
    let (mut tools, mut classes) = tool_selection::split(tools);
    if settings.enable_classify_and_switch_llm_tool {
        classes.retain(|class| class != tool_selection::ROUTER);
        tools.retain(|tool| tool.name != tool_selection::ROUTER);
        tools.push(router(&settings));
    }
    Agent {
        mcp_config: settings.mcp_config,
        include_default_tools: classes,
        agent_context: settings.agent_context,
        persona: settings.persona,
        condenser,
        critic: critic.map(Box::new),
        tool_concurrency_limit: settings.tool_concurrency_limit,
        ..Agent::new(settings.llm, tools)
    }
}

/// Whether the condenser's limit of tokens was left out, so that it is that of the model.
pub(super) fn inherits_limit(settings: &Map<String, Value>) -> bool {
    let condenser = settings.get("condenser").and_then(Value::as_object);
    condenser.is_none_or(|condenser| !condenser.contains_key("max_tokens"))
}

/// The tool that chooses a model for a task, with the rules and models that it chooses from.
fn router(settings: &OpenHandsAgentSettings) -> Tool {
    let mut tool = Tool::new(tool_selection::ROUTER);
    if let Some(name) = settings
        .active_meta_profile
        .as_ref()
        .filter(|name| !name.is_empty())
    {
        tool.params
            .insert("active_meta_profile".to_owned(), json!(name));
    }
    // The keys go with the models: the tool has to use them.
    if let Some(rules) = &settings.meta_profile
        && let Ok(rules) = Form::PEER.to_value(rules)
    {
        tool.params.insert("meta_profile".to_owned(), rules);
    }
    if !settings.meta_profile_llms.is_empty()
        && let Ok(llms) = Form::PEER.to_value(&settings.meta_profile_llms)
    {
        tool.params.insert("meta_profile_llms".to_owned(), llms);
    }
    tool
}

fn condenser(settings: &CondenserSettings, llm: &Llm, inherits_limit: bool) -> Option<Condenser> {
    match settings {
        CondenserSettings::LlmSummarizing(settings) if settings.enabled => {
            Some(summarizing(settings, llm, inherits_limit).into())
        }
        CondenserSettings::NoOp(settings) if settings.enabled => {
            Some(NoOpCondenser::default().into())
        }
        CondenserSettings::LlmSummarizing(_)
        | CondenserSettings::NoOp(_)
        | CondenserSettings::Unknown(_) => None,
    }
}

fn summarizing(
    settings: &LlmSummarizingCondenserSettings,
    llm: &Llm,
    inherits_limit: bool,
) -> LlmSummarizingCondenser {
    let of_model = || {
        let window = ModelFeatures::of(llm).context_window?;
        i64::try_from(window).ok()
    };
    LlmSummarizingCondenser {
        max_tokens: settings
            .max_tokens
            .or_else(|| if inherits_limit { of_model() } else { None }),
        llm: Box::new(Llm {
            usage_id: CONDENSER_USAGE.to_owned(),
            // A summary is nothing to watch. A plan must stream.
            stream: llm.stream && llm.auth_type == LlmAuthType::Subscription,
            ..llm.clone()
        }),
        max_size: settings.max_size,
        keep_first: settings.keep_first,
        minimum_progress: settings.minimum_progress,
        hard_context_reset_max_retries: settings.hard_context_reset_max_retries,
        hard_context_reset_context_scaling: settings.hard_context_reset_context_scaling,
        ..LlmSummarizingCondenser::default()
    }
}

/// The critic; none without a key of its own or of the model, for it is a service.
fn critic(settings: &OpenHandsAgentSettings) -> Option<Critic> {
    let verification = &settings.verification;
    if !verification.critic_enabled {
        return None;
    }
    let keys = [&verification.critic_api_key, &settings.llm.api_key];
    let key: &Secret = keys.into_iter().flatten().find(|key| is_set(Some(key)))?;
    let mut critic: ApiBasedCritic = serde_json::from_value(json!({"api_key": ""})).ok()?;
    critic.api_key = key.clone();
    critic.mode = verification.critic_mode.clone();
    if verification.enable_iterative_refinement {
        critic.iterative_refinement = Some(IterativeRefinementConfig {
            success_threshold: verification.critic_threshold,
            max_iterations: verification.max_refinement_iterations,
            ..IterativeRefinementConfig::default()
        });
    }
    if let Some(url) = &verification.critic_server_url {
        critic.server_url.clone_from(url);
    }
    if let Some(model) = &verification.critic_model_name {
        critic.model_name.clone_from(model);
    }
    Some(Critic::ApiBased(critic))
}

//! From a definition and its parent to an agent.

use openhands_protocol::agent::{
    Agent, AgentContext, AgentDefinition, Condenser, LlmSummarizingCondenser,
};
use openhands_protocol::llm::Llm;
use openhands_protocol::security::{AlwaysConfirm, ConfirmRisky, ConfirmationPolicy, NeverConfirm};
use openhands_protocol::skills::Skill;
use openhands_protocol::tool::Tool;
use openhands_protocol::{Extra, JsonObject};
use openhands_tools::{Preset, PresetOptions};
use tokio_util::sync::CancellationToken;

use crate::builtin;
use crate::conversation::Inner;
use crate::subagents::scope::Scope;

/// Uses the parent's model.
const INHERIT: &str = "inherit";

/// The agent that a definition asks for, with its parent's model (unless it names a saved one) and its parent's MCP
/// servers. The error is prose for the model.
pub(super) async fn agent_of(
    parent: &Inner,
    definition: &AgentDefinition,
    scope: Scope,
) -> Result<Agent, String> {
    let parent_agent = parent.agent().map_err(|error| error.to_string())?;
    let missing = scope.missing(&parent_agent, definition);
    if !missing.is_empty() {
        return Err(format!(
            "Agent '{}' uses {}, which this agent does not have.",
            definition.name,
            missing.join(", ")
        ));
    }
    let mut llm = model(parent, &parent_agent, definition).await?;
    // Nobody watches it write.
    llm.stream = false;
    let mut tools = tools(parent, definition)?;
    scope.narrow(&mut tools);
    let skills = skills(parent, &parent_agent, definition).await?;
    let has_context = !definition.system_prompt.is_empty() || !skills.is_empty();
    let suffix = Some(definition.system_prompt.clone()).filter(|prompt| !prompt.is_empty());
    Ok(Agent {
        mcp_config: parent_agent.mcp_config,
        agent_context: has_context.then(|| AgentContext {
            system_message_suffix: suffix,
            skills,
            ..AgentContext::default()
        }),
        condenser: Some(condenser(&llm, definition)),
        ..plain(llm, tools)
    })
}

/// An agent with a model and tools, and nothing else said.
pub(super) fn plain(llm: Llm, tools: Vec<Tool>) -> Agent {
    Agent {
        llm,
        tools,
        mcp_config: indexmap::IndexMap::new(),
        filter_tools_regex: None,
        include_default_tools: vec!["FinishTool".to_owned(), "ThinkTool".to_owned()],
        agent_context: None,
        system_prompt: None,
        system_prompt_filename: "system_prompt.j2".to_owned(),
        security_policy_filename: "security_policy.j2".to_owned(),
        system_prompt_kwargs: JsonObject::new(),
        condenser: None,
        critic: None,
        tool_concurrency_limit: 1,
        persona: None,
        extra: Extra::default(),
    }
}

async fn model(parent: &Inner, agent: &Agent, definition: &AgentDefinition) -> Result<Llm, String> {
    let name = definition.model.as_str();
    if name.is_empty() || name == INHERIT {
        return Ok(agent.llm.clone());
    }
    let name = name.strip_suffix(".json").unwrap_or(name);
    let Some(profiles) = &parent.host.profiles else {
        return Err(format!(
            "Profile {} not found: there are no saved profiles here.",
            definition.model
        ));
    };
    match profiles.load(name).await {
        Ok(llm) => Ok(llm),
        Err(error) => Err(format!(
            "Profile {} cannot be used: {error} Available profiles: {}",
            definition.model,
            profiles.names().await.join(", ")
        )),
    }
}

fn tools(parent: &Inner, definition: &AgentDefinition) -> Result<Vec<Tool>, String> {
    let mut tools = Vec::with_capacity(definition.tools.len());
    for name in &definition.tools {
        if !parent.host.registry.knows(name) && !builtin::knows(name) {
            return Err(format!(
                "Tool '{name}' is not registered but was given to agent '{}'.",
                definition.name
            ));
        }
        tools.push(Tool::new(name));
    }
    Ok(tools)
}

/// The skills that a definition names: those that its parent was given, the project's and the user's.
async fn skills(
    parent: &Inner,
    agent: &Agent,
    definition: &AgentDefinition,
) -> Result<Vec<Skill>, String> {
    if definition.skills.is_empty() {
        return Ok(Vec::new());
    }
    let equipment = parent
        .equipment()
        .await
        .map_err(|error| error.to_string())?;
    let given = agent.agent_context.clone().unwrap_or_default();
    let all = AgentContext {
        load_project_skills: true,
        load_user_skills: true,
        load_public_skills: false,
        ..given
    };
    let workspace = equipment.runtime.workspace();
    let cancel = CancellationToken::new();
    let mut known = parent.host.skills.resolve(&all, workspace, &cancel).await;
    if equipment.runtime.is_apart() {
        // What a sub-agent is given counts as the user's. Servers that files of the project name must not.
        known.drop_servers_of_project();
    }
    definition
        .skills
        .iter()
        .map(|name| {
            let found = known.skills.iter().find(|skill| skill.name == *name);
            found.cloned().ok_or_else(|| {
                format!(
                    "Skill '{name}' not found but was given to agent '{}'.",
                    definition.name
                )
            })
        })
        .collect()
}

/// What shortens a long history: the usual, unless the definition says otherwise. It is booked apart from the agent.
fn condenser(llm: &Llm, definition: &AgentDefinition) -> Condenser {
    let usual = Preset::default_agent(PresetOptions::default()).condenser;
    match &definition.condenser {
        Some(Condenser::LlmSummarizing(own)) if own.llm.usage_id == llm.usage_id => {
            let mut own = own.clone();
            usual.usage_id.clone_into(&mut own.llm.usage_id);
            Condenser::LlmSummarizing(own)
        }
        Some(own) => own.clone(),
        None => Condenser::LlmSummarizing(LlmSummarizingCondenser {
            llm: Box::new(Llm {
                usage_id: usual.usage_id.to_owned(),
                ..llm.clone()
            }),
            max_size: i64::try_from(usual.max_size).unwrap_or(i64::MAX),
            keep_first: i64::try_from(usual.keep_first).unwrap_or(i64::MAX),
            ..LlmSummarizingCondenser::default()
        }),
    }
}

/// Which actions of a sub-agent wait: what the definition says, else what its parent does.
pub(super) fn policy(parent: &Inner, definition: &AgentDefinition) -> ConfirmationPolicy {
    match definition.permission_mode.as_deref() {
        Some("always_confirm") => ConfirmationPolicy::Always(AlwaysConfirm::default()),
        Some("never_confirm") => ConfirmationPolicy::Never(NeverConfirm::default()),
        Some("confirm_risky") => ConfirmationPolicy::Risky(ConfirmRisky::default()),
        Some(_) | None => parent.state.read().confirmation_policy.clone(),
    }
}

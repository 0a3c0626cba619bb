//! The sub-agents that a conversation in a project could start.

use std::path::Path;
use std::sync::Arc;

use axum::extract::State;
use openhands_protocol::agent::{
    AgentDefinition, AgentLevel, SubAgentInfo, SubAgentsRequest, SubAgentsResponse,
};
use openhands_sdk_rs::runtime::LocalWorkspace;
use openhands_sdk_rs::subagents::{builtin_definitions, project_definitions, user_definitions};

use crate::app::App;
use crate::http::{Body, Reply, Routes};
use crate::services::tools::BROWSER;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .post("/api/sub-agents", list)
        .says("The sub-agents of a project, of the user, and the built-in ones; the first of a name counts")
        .answers::<SubAgentsResponse>(200)
}

async fn list(
    State(app): State<Arc<App>>,
    Body(request): Body<SubAgentsRequest>,
) -> Reply<SubAgentsResponse> {
    let config = app.config();
    let mut found = Vec::new();
    if let Some(directory) = &request.project_dir
        && request.load_project
    {
        let workspace = LocalWorkspace::new(directory, &config.env);
        found.extend(project_definitions(&workspace).await);
    }
    if request.load_user {
        let home = config.env.iter().find(|(name, _)| name == "HOME");
        let home = home.map(|(_, home)| Path::new(home));
        found.extend(user_definitions(home, Some(&config.persistence_dir)).await);
    }
    if request.load_builtin {
        found.extend(builtin_definitions(|tool| {
            config.enable_browser || tool != BROWSER
        }));
    }
    let mut agents: Vec<SubAgentInfo> = Vec::new();
    for definition in found {
        if !agents.iter().any(|agent| agent.name == definition.name) {
            agents.push(info(definition));
        }
    }
    Reply(SubAgentsResponse {
        agents,
        ..SubAgentsResponse::default()
    })
}

fn info(definition: AgentDefinition) -> SubAgentInfo {
    SubAgentInfo {
        name: definition.name,
        description: definition.description,
        model: definition.model,
        color: definition.color,
        tools: definition.tools,
        skills: definition.skills,
        system_prompt: definition.system_prompt,
        when_to_use_examples: definition.when_to_use_examples,
        permission_mode: definition.permission_mode,
        max_iteration_per_run: definition.max_iteration_per_run,
        max_budget_per_run: definition.max_budget_per_run,
        mcp_servers: definition.mcp_config.clone(),
        mcp_config: definition.mcp_config,
        profile_store_dir: definition.profile_store_dir,
        hooks: definition.hooks,
        condenser: definition.condenser,
        metadata: definition.metadata,
        is_builtin: definition.level == Some(AgentLevel::Builtin),
        level: definition.level,
        source: definition.source,
        ..SubAgentInfo::default()
    }
}

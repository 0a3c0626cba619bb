//! Changing what a conversation works with while it lives.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use openhands_protocol::agent::AgentSpec;
use openhands_protocol::conversation::{
    ConversationPath, LoadPluginRequest, SetConfirmationPolicyRequest, SetSecurityAnalyzerRequest,
    Success, SwitchAcpModelRequest, SwitchLlmRequest, SwitchProfileRequest, UpdateSecretsRequest,
};

use crate::app::App;
use crate::http::{ApiError, Body, Path, Reply, Routes};

pub(super) fn routes() -> Routes {
    Routes::new()
        .post("/api/conversations/{conversation_id}/secrets", secrets)
        .says("Add secrets that commands may use and nobody sees")
        .answers::<Success>(200)
        .post(
            "/api/conversations/{conversation_id}/confirmation_policy",
            policy,
        )
        .says("Choose which actions wait for the user")
        .answers::<Success>(200)
        .post(
            "/api/conversations/{conversation_id}/security_analyzer",
            analyzer,
        )
        .says("Choose who says how risky an action is")
        .answers::<Success>(200)
        .post(
            "/api/conversations/{conversation_id}/switch_llm",
            switch_llm,
        )
        .says("Go on with another model")
        .answers::<Success>(200)
        .post(
            "/api/conversations/{conversation_id}/switch_profile",
            switch_profile,
        )
        .says("Go on with a saved model")
        .answers::<Success>(200)
        .post(
            "/api/conversations/{conversation_id}/switch_acp_model",
            switch_acp_model,
        )
        .says("Go on with another model of an external agent")
        .answers::<Success>(200)
        .post(
            "/api/conversations/{conversation_id}/load_plugin",
            load_plugin,
        )
        .says("Load a plugin")
        .answers::<Success>(200)
}

async fn secrets(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
    Body(request): Body<UpdateSecretsRequest>,
) -> Result<Reply<Success>, ApiError> {
    let held = app.conversations.open(path.conversation_id).await?;
    held.conversation().update_secrets(request.secrets).await?;
    Ok(Reply(Success::default()))
}

async fn policy(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
    Body(request): Body<SetConfirmationPolicyRequest>,
) -> Result<Reply<Success>, ApiError> {
    let held = app.conversations.open(path.conversation_id).await?;
    app.conversations.set_policy(&held, request.policy).await?;
    Ok(Reply(Success::default()))
}

async fn analyzer(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
    Body(request): Body<SetSecurityAnalyzerRequest>,
) -> Result<Reply<Success>, ApiError> {
    let held = app.conversations.open(path.conversation_id).await?;
    app.conversations
        .set_analyzer(&held, request.security_analyzer)
        .await?;
    Ok(Reply(Success::default()))
}

async fn switch_llm(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
    Body(request): Body<SwitchLlmRequest>,
) -> Result<Reply<Success>, ApiError> {
    let held = app.conversations.open(path.conversation_id).await?;
    held.conversation().switch_llm(request.llm).await?;
    Ok(Reply(Success::default()))
}

async fn switch_profile(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
    Body(request): Body<SwitchProfileRequest>,
) -> Result<Reply<Success>, ApiError> {
    let held = app.conversations.open(path.conversation_id).await?;
    held.conversation()
        .switch_profile(&request.profile_name)
        .await?;
    Ok(Reply(Success::default()))
}

async fn switch_acp_model(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
    Body(_): Body<SwitchAcpModelRequest>,
) -> Result<Reply<Success>, ApiError> {
    app.conversations.open(path.conversation_id).await?;
    Err(ApiError::bad_request(
        "switch_acp_model is only supported for ACP conversations.",
    ))
}

async fn load_plugin(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
    Body(_): Body<LoadPluginRequest>,
) -> Result<Reply<Success>, ApiError> {
    let held = app.conversations.open(path.conversation_id).await?;
    let has_context = held.conversation().state(|state| match &state.agent {
        AgentSpec::Agent(agent) => agent.agent_context.is_some(),
        AgentSpec::Acp(_) | AgentSpec::Unknown(_) => false,
    });
    if !has_context {
        return Err(ApiError::bad_request(
            "No agent context available. Configure agent_context with registered_marketplaces to use load_plugin().",
        ));
    }
    Err(ApiError::masked(
        StatusCode::NOT_IMPLEMENTED,
        "plugins cannot be loaded yet",
    ))
}

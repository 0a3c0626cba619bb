//! What the agent says: its last word, an answer beside the conversation, a shorter history.

use std::sync::Arc;

use axum::extract::State;
use openhands_protocol::conversation::{
    AgentResponseResult, AskAgentRequest, AskAgentResponse, ConversationPath, Success,
};

use crate::app::App;
use crate::http::{ApiError, Body, Path, Reply, Routes};
use crate::services::conversations::RefusedRequest;

pub(super) fn routes() -> Routes {
    Routes::new()
        .get(
            "/api/conversations/{conversation_id}/agent_final_response",
            final_response,
        )
        .says("The agent's last word")
        .answers::<AgentResponseResult>(200)
        .post("/api/conversations/{conversation_id}/ask_agent", ask)
        .says("Ask the agent something beside the conversation")
        .answers::<AskAgentResponse>(200)
        .post("/api/conversations/{conversation_id}/condense", condense)
        .says("Shorten the history that the model is shown")
        .answers::<Success>(200)
}

async fn final_response(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
) -> Result<Reply<AgentResponseResult>, ApiError> {
    let held = app.conversations.open(path.conversation_id).await?;
    let response = held.conversation().final_response().await?;
    Ok(Reply(AgentResponseResult {
        response,
        ..AgentResponseResult::default()
    }))
}

async fn ask(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
    Body(request): Body<AskAgentRequest>,
) -> Result<Reply<AskAgentResponse>, ApiError> {
    let held = app.conversations.open(path.conversation_id).await;
    let held = held.map_err(|error| match error {
        RefusedRequest::Unknown(_) => ApiError::not_found("Conversation not found"),
        other => other.into(),
    })?;
    let response = held.conversation().ask_agent(&request.question).await?;
    Ok(Reply(AskAgentResponse {
        response,
        ..AskAgentResponse::default()
    }))
}

async fn condense(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
) -> Result<Reply<Success>, ApiError> {
    let held = app.conversations.open(path.conversation_id).await?;
    held.conversation().condense().await?;
    Ok(Reply(Success::default()))
}

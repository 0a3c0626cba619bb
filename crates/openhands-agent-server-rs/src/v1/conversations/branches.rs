//! Copies, children, and moving within a conversation.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use openhands_protocol::conversation::{
    ConversationInfo, ConversationPath, ForkConversationRequest, IncludeSkillsQuery,
    NavigateConversationRequest, StartChildConversationRequest, StartChildConversationResponse,
};
use openhands_sdk_rs::ConversationError;
use openhands_sdk_rs::event_log::LogError;

use crate::app::App;
use crate::http::{ApiError, Body, MaybeBody, Path, Query, Reply, Routes};
use crate::services::conversations::RefusedRequest;
use crate::v1::conversations::read::shown;

pub(super) fn routes() -> Routes {
    Routes::new()
        .post("/api/conversations/{conversation_id}/fork", fork)
        .says("Copy a conversation, or one of its branches")
        .answers::<ConversationInfo>(201)
        .post("/api/conversations/{conversation_id}/navigate", navigate)
        .says("Move the head to an event, or before all of them")
        .answers::<ConversationInfo>(200)
        .post("/api/conversations/{conversation_id}/children", start_child)
        .says("Start a conversation that takes over a part of the work")
        .answers::<StartChildConversationResponse>(201)
}

async fn fork(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
    Query(query): Query<IncludeSkillsQuery>,
    MaybeBody(request): MaybeBody<ForkConversationRequest>,
) -> Result<impl IntoResponse, ApiError> {
    let request = request.unwrap_or_default();
    let info = app
        .conversations
        .fork(path.conversation_id, request)
        .await?;
    let info = shown(info, query.include_skills);
    Ok(Reply(info).with_status(StatusCode::CREATED))
}

async fn navigate(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
    Query(query): Query<IncludeSkillsQuery>,
    Body(request): Body<NavigateConversationRequest>,
) -> Result<Reply<ConversationInfo>, ApiError> {
    let held = app.conversations.open(path.conversation_id).await?;
    let moved = held.conversation().navigate(request.event_id).await;
    if let Err(ConversationError::Log(LogError::UnknownEvent(id))) = moved {
        return Err(RefusedRequest::UnknownEvent {
            field: "event_id",
            id,
        }
        .into());
    }
    moved?;
    let info = app.conversations.info(held.entry()).await?;
    Ok(Reply(shown(info, query.include_skills)))
}

async fn start_child(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
    Body(request): Body<StartChildConversationRequest>,
) -> Result<impl IntoResponse, ApiError> {
    let parent = path.conversation_id;
    // Boxed: a start holds a whole conversation.
    let started = Box::pin(app.conversations.start_child(parent, request)).await?;
    Ok(Reply(started).with_status(StatusCode::CREATED))
}

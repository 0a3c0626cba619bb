//! Starting a conversation.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use openhands_protocol::JsonObject;
use openhands_protocol::conversation::{
    ConversationInfo, IncludeSkillsQuery, StartConversationRequest,
};

use crate::app::App;
use crate::http::{ApiError, Body, Query, Reply, Routes};
use crate::v1::conversations::read::shown;

pub(super) fn routes() -> Routes {
    Routes::new()
        .post("/api/conversations", create)
        .says("Start a conversation")
        .takes_header("X-OpenHands-Observability-Span-Name")
        .takes_header("X-OpenHands-Observability-Tags")
        .takes_header("X-OpenHands-Observability-Metadata")
        .takes_header("X-OpenHands-Observability-Parent-Span-Context")
        .answers::<ConversationInfo>(201)
}

async fn create(
    State(app): State<Arc<App>>,
    Query(query): Query<IncludeSkillsQuery>,
    headers: HeaderMap,
    Body(mut request): Body<StartConversationRequest>,
) -> Result<impl IntoResponse, ApiError> {
    let chosen = app
        .conversations
        .choose_runtime(request.conversation_runtime.take())?;
    request.conversation_runtime = chosen;
    take_observability(&mut request, &headers)?;
    if let Some(entry) = request
        .conversation_id
        .and_then(|id| app.conversations.entry(id))
    {
        // Nothing of the request is applied, so nothing of it can be wrong.
        let info = app.conversations.info(&entry).await?;
        return Ok(Reply(shown(info, query.include_skills)).with_status(StatusCode::OK));
    }
    let launch = app.launches.resolve(&request).await?;
    // Boxed: a start holds a whole conversation.
    let started = Box::pin(app.conversations.create(request, launch)).await?;
    let status = if started.is_new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    let info = shown(started.info, query.include_skills);
    Ok(Reply(info).with_status(status))
}

/// Takes from headers what a tracing proxy added and the request does not say itself.
fn take_observability(
    request: &mut StartConversationRequest,
    headers: &HeaderMap,
) -> Result<(), ApiError> {
    let header = |name: &str| {
        let name = format!("x-openhands-observability-{name}");
        let text = headers.get(name)?.to_str().ok()?;
        (!text.is_empty()).then(|| text.to_owned())
    };
    if let Some(name) = header("span-name")
        && request.observability_span_name == "conversation"
    {
        request.observability_span_name = name;
    }
    if let Some(tags) = header("tags")
        && request.observability_tags.is_empty()
    {
        let tags = tags.split(',').map(str::trim).filter(|tag| !tag.is_empty());
        request.observability_tags = tags.map(str::to_owned).collect();
    }
    if let Some(metadata) = header("metadata") {
        let mut merged: JsonObject = serde_json::from_str(&metadata).map_err(|_| {
            ApiError::unprocessable("X-OpenHands-Observability-Metadata must be a JSON object")
        })?;
        merged.extend(std::mem::take(&mut request.observability_metadata).0);
        request.observability_metadata = merged;
    }
    if request.observability_parent_span_context.is_none() {
        request.observability_parent_span_context = header("parent-span-context");
    }
    Ok(())
}

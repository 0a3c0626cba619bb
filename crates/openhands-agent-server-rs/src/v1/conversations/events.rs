//! The events of a conversation: searching, counting, reading; messages and confirmations.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use openhands_protocol::conversation::{
    ConfirmationResponseRequest, ConversationPath, CountEventsQuery, EventPage, EventPath,
    EventSortOrder, SearchEventsQuery, SendMessageRequest, Success,
};
use openhands_protocol::message::Message;
use openhands_protocol::{ConversationId, Event, EventId, EventTime};
use openhands_sdk_rs::Decision;
use openhands_sdk_rs::event_log::{EventFilter, Order, PageRequest};

use crate::app::App;
use crate::http::{ApiError, Body, Path, Query, Reply, Routes};
use crate::services::conversations::{Held, RefusedRequest};

pub(super) fn routes() -> Routes {
    Routes::new()
        .get("/api/conversations/{conversation_id}/events/search", search)
        .says("A page of events")
        .answers::<EventPage>(200)
        .get("/api/conversations/{conversation_id}/events/count", count)
        .says("How many events there are")
        .get(
            "/api/conversations/{conversation_id}/events/{event_id}",
            get,
        )
        .says("An event")
        .answers::<Event>(200)
        .get("/api/conversations/{conversation_id}/events", several)
        .says("Some events by id, with null for one that there is not")
        .post("/api/conversations/{conversation_id}/events", send)
        .says("Say something to the agent")
        .answers::<Success>(200)
        .post(
            "/api/conversations/{conversation_id}/events/respond_to_confirmation",
            respond,
        )
        .says("Accept or reject the actions that wait")
        .answers::<Success>(200)
}

/// The conversation; these routes say which one there is not.
async fn open(app: &App, id: ConversationId) -> Result<Held, ApiError> {
    app.conversations
        .open(id)
        .await
        .map_err(|error| match error {
            unknown @ RefusedRequest::Unknown(_) => ApiError::not_found(unknown.to_string()),
            other => other.into(),
        })
}

/// In the server's own time, which is what events carry.
fn local(time: Option<EventTime>) -> Option<EventTime> {
    time.map(|time| EventTime::from_civil(time.civil()))
}

async fn search(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
    Query(query): Query<SearchEventsQuery>,
) -> Result<impl IntoResponse, ApiError> {
    let held = open(&app, path.conversation_id).await?;
    let filter = EventFilter {
        kind: query.kind,
        source: query.source,
        body: query.body,
        since: local(query.since),
        before: local(query.before),
    };
    let request = PageRequest {
        page_id: query.page_id.map(EventId::from),
        limit: usize::try_from(query.limit).unwrap_or(1),
        order: match query.sort_order {
            EventSortOrder::Timestamp => Order::OldestFirst,
            EventSortOrder::TimestampDesc => Order::NewestFirst,
        },
    };
    let events = held.conversation().events();
    let page = events.search(&filter, &request).await;
    let page = page.map_err(ApiError::internal)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], page.to_json()))
}

async fn count(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
    Query(query): Query<CountEventsQuery>,
) -> Result<Reply<u64>, ApiError> {
    let held = open(&app, path.conversation_id).await?;
    let filter = EventFilter {
        kind: query.kind,
        source: query.source,
        body: query.body,
        since: local(query.since),
        before: local(query.before),
    };
    let count = held.conversation().events().count(&filter).await;
    count.map(Reply).map_err(ApiError::internal)
}

async fn get(
    State(app): State<Arc<App>>,
    Path(path): Path<EventPath>,
) -> Result<Reply<Event>, ApiError> {
    let held = open(&app, path.conversation_id).await?;
    let found = held.conversation().events().get(&path.event_id).await;
    match found.map_err(ApiError::internal)? {
        Some(stored) => Ok(Reply(stored.event().clone())),
        None => Err(ApiError::not_found("Not Found")),
    }
}

async fn several(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
    Body(ids): Body<Vec<EventId>>,
) -> Result<Reply<Vec<Option<Event>>>, ApiError> {
    let held = open(&app, path.conversation_id).await?;
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        let stored = held.conversation().events().get(&id).await;
        let stored = stored.map_err(ApiError::internal)?;
        found.push(stored.map(|stored| stored.event().clone()));
    }
    Ok(Reply(found))
}

async fn send(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
    Body(request): Body<SendMessageRequest>,
) -> Result<Reply<Success>, ApiError> {
    let held = open(&app, path.conversation_id).await?;
    let message = Message {
        content: request.content,
        ..Message::text(request.role, "")
    };
    app.conversations.say(&held, message, request.run).await?;
    Ok(Reply(Success::default()))
}

async fn respond(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
    Body(request): Body<ConfirmationResponseRequest>,
) -> Result<Reply<Success>, ApiError> {
    let held = open(&app, path.conversation_id).await?;
    let decision = if request.accept {
        Decision::Accept
    } else {
        Decision::Reject(request.reason)
    };
    app.conversations.respond(&held, decision).await?;
    Ok(Reply(Success::default()))
}

//! Reading conversations: one, several, pages, counts; changing and deleting one.

use std::sync::Arc;

use axum::extract::State;
use openhands_protocol::Patch;
use openhands_protocol::conversation::{
    BatchConversationsQuery, ConversationInfo, ConversationPage, ConversationPath,
    CountConversationsQuery, IncludeSkillsQuery, SearchConversationsQuery, Success,
    UpdateConversationRequest,
};

use crate::app::App;
use crate::http::{ApiError, Body, Path, Query, Reply, Routes};
use crate::services::conversations::{ConversationQuery, RefusedRequest, without_skills};

pub(super) fn routes() -> Routes {
    Routes::new()
        .get("/api/conversations/search", search)
        .says("A page of conversations")
        .answers::<ConversationPage>(200)
        .get("/api/conversations/count", count)
        .says("How many conversations there are")
        .get("/api/conversations", several)
        .says("Some conversations by id, with null for one that there is not")
        .get("/api/conversations/{conversation_id}", get)
        .says("A conversation")
        .answers::<ConversationInfo>(200)
        .patch("/api/conversations/{conversation_id}", update)
        .says("Give a conversation another title or other tags")
        .answers::<Success>(200)
        .delete("/api/conversations/{conversation_id}", delete)
        .says("Delete a conversation and its files; the workspace stays")
        .answers::<Success>(200)
}

/// A conversation as it is shown: without skills, unless they are wanted.
pub(super) fn shown(info: ConversationInfo, include_skills: bool) -> ConversationInfo {
    if include_skills {
        info
    } else {
        without_skills(info)
    }
}

/// The same, with what is known of the place where its tools run.
fn shown_running(app: &App, info: ConversationInfo, include_skills: bool) -> ConversationInfo {
    let mut info = shown(info, include_skills);
    info.runtime_info = Some(app.conversations.runtime_info(info.id));
    info
}

async fn search(
    State(app): State<Arc<App>>,
    Query(query): Query<SearchConversationsQuery>,
) -> Reply<ConversationPage> {
    let wanted = ConversationQuery {
        status: query.status,
        sort_order: query.sort_order,
        page_id: query.page_id,
        limit: usize::try_from(query.limit).unwrap_or(1),
    };
    let mut page = app.conversations.page(&wanted).await;
    let items = std::mem::take(&mut page.items).into_iter();
    page.items = items
        .map(|info| shown_running(&app, info, query.include_skills))
        .collect();
    Reply(page)
}

async fn count(
    State(app): State<Arc<App>>,
    Query(query): Query<CountConversationsQuery>,
) -> Reply<usize> {
    Reply(app.conversations.count(query.status))
}

async fn several(
    State(app): State<Arc<App>>,
    Query(query): Query<BatchConversationsQuery>,
) -> Reply<Vec<Option<ConversationInfo>>> {
    let found = app.conversations.several(&query.ids).await;
    let shown = found
        .into_iter()
        .map(|info| Some(shown_running(&app, info?, query.include_skills)));
    Reply(shown.collect())
}

async fn get(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
    Query(query): Query<IncludeSkillsQuery>,
) -> Result<Reply<ConversationInfo>, ApiError> {
    let id = path.conversation_id;
    let entry = app.conversations.entry(id);
    let entry = entry.ok_or(RefusedRequest::Unknown(id))?;
    let info = app.conversations.info(&entry).await?;
    Ok(Reply(shown_running(&app, info, query.include_skills)))
}

async fn update(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
    Body(request): Body<UpdateConversationRequest>,
) -> Result<Reply<Success>, ApiError> {
    let held = app.conversations.open(path.conversation_id).await?;
    let given = |patch: Patch<String>| match patch {
        Patch::Value(value) => Some(value.trim().to_owned()),
        Patch::Absent | Patch::Null => None,
    };
    let tags = match request.tags {
        Patch::Value(tags) => Some(tags),
        Patch::Absent | Patch::Null => None,
    };
    app.conversations
        .update(&held, given(request.title), tags)
        .await?;
    Ok(Reply(Success::default()))
}

async fn delete(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
) -> Result<Reply<Success>, ApiError> {
    // Its commands would work on in a workspace that may go.
    app.bash.forget(path.conversation_id).await;
    app.conversations.delete(path.conversation_id).await?;
    Ok(Reply(Success::default()))
}

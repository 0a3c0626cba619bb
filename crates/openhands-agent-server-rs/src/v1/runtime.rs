//! The runtime of a conversation, and the services of this server bound to its workspace.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{Method, StatusCode};
use axum::response::sse::{Event as SseEvent, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::{Stream, StreamExt as _};
use openhands_protocol::conversation::ConversationRuntimeInfo;
use openhands_protocol::git::{
    GitChange, GitChangesQuery, GitCommitChangesQuery, GitCommitPath, GitCommitsPage,
    GitCommitsQuery, GitDiff, GitDiffQuery,
};
use openhands_protocol::server::{
    RuntimeVsCodeUrlQuery, VsCodeStatus, VsCodeUrlQuery, VsCodeUrlResponse,
};
use openhands_protocol::workspace::WorkspacePath;
use openhands_protocol::{ConversationId, Form};
use serde_json::{Value, json};

use crate::app::App;
use crate::http::{ApiError, Path, Query, Reply, Routes};
use crate::services::sandboxes::{Slot, SlotState, Step};
use crate::v1::place::{Located as _, There};
use crate::v1::{bash, files, git, vscode};

/// How long the answer to a request for a new container waits for it.
const REPROVISION: Duration = Duration::from_secs(20);

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/api/conversations/{conversation_id}/runtime", runtime)
        .says("Whether the runtime of a conversation can be used")
        .answers::<ConversationRuntimeInfo>(200)
        .post(
            "/api/conversations/{conversation_id}/runtime/reprovision",
            reprovision,
        )
        .says(
            "Make the runtime of a conversation usable again; a container is replaced by a new one",
        )
        .answers::<ConversationRuntimeInfo>(200)
        .post(
            "/api/conversations/{conversation_id}/runtime/credentials",
            credentials,
        )
        .says("The key of the server in the container of a conversation")
        .hidden()
        .delete("/api/conversations/{conversation_id}/runtime", clear)
        .says("Remove the container of a conversation; the next use makes another one")
        .hidden()
        .answers_nothing(204)
        .get(
            "/api/conversations/{conversation_id}/runtime/progress",
            progress,
        )
        .says("What happens while the container of a conversation is made, as events")
        .hidden()
        .merge(bash::scoped_routes())
        .merge(files::scoped_routes())
        .merge(git_routes().all_of_runtime())
        .merge(vscode_routes().all_of_runtime())
}

fn vscode_routes() -> Routes {
    Routes::new()
        .get(
            "/api/conversations/{runtime_conversation_id}/vscode/url",
            vscode_url,
        )
        .says(
            "Where to open the workspace of a conversation in the editor; null if it does not run",
        )
        .answers::<VsCodeUrlResponse>(200)
        .get(
            "/api/conversations/{runtime_conversation_id}/vscode/status",
            vscode_status,
        )
        .says("Whether the editor runs")
        .answers::<VsCodeStatus>(200)
}

fn git_routes() -> Routes {
    Routes::new()
        .get(
            "/api/conversations/{runtime_conversation_id}/git/changes",
            changes,
        )
        .says("The files that changed in the workspace of a conversation")
        .answers::<Vec<GitChange>>(200)
        .get(
            "/api/conversations/{runtime_conversation_id}/git/diff",
            diff,
        )
        .says("Both sides of a changed file in the workspace of a conversation")
        .answers::<GitDiff>(200)
        .get(
            "/api/conversations/{runtime_conversation_id}/git/commits",
            commits,
        )
        .says("The latest commits in the workspace of a conversation, newest first")
        .answers::<GitCommitsPage>(200)
        .get(
            "/api/conversations/{runtime_conversation_id}/git/commits/{sha}/changes",
            commit_changes,
        )
        .says("The files that a commit changed in the workspace of a conversation")
        .answers::<Vec<GitChange>>(200)
}

/// Whether there is such a conversation, and its container if it works in one.
fn slot(app: &App, path: &WorkspacePath) -> Result<Option<Arc<Slot>>, ApiError> {
    let id = path.conversation_id;
    match app.conversations.entry(id) {
        Some(_) => Ok(app.conversations.sandbox(id)),
        None => Err(ApiError::not_found("Not Found")),
    }
}

async fn runtime(
    State(app): State<Arc<App>>,
    Path(path): Path<WorkspacePath>,
) -> Result<Reply<ConversationRuntimeInfo>, ApiError> {
    slot(&app, &path)?;
    Ok(Reply(app.conversations.runtime_info(path.conversation_id)))
}

/// Waits for the new container, but not for ever: an image may have to be fetched.
async fn reprovision(
    State(app): State<Arc<App>>,
    Path(path): Path<WorkspacePath>,
) -> Result<Reply<ConversationRuntimeInfo>, ApiError> {
    if let Some(slot) = slot(&app, &path)? {
        slot.vacate().await;
        // How it went is in the answer.
        let _ = tokio::time::timeout(REPROVISION, slot.ready()).await;
    }
    Ok(Reply(app.conversations.runtime_info(path.conversation_id)))
}

async fn credentials(
    State(app): State<Arc<App>>,
    Path(path): Path<WorkspacePath>,
) -> Result<axum::Json<Value>, ApiError> {
    let slot = slot(&app, &path)?.ok_or_else(|| ApiError::not_found("Not Found"))?;
    let sandbox = slot
        .ready()
        .await
        .map_err(|reason| ApiError::new(StatusCode::BAD_GATEWAY, reason))?;
    Ok(axum::Json(json!({"session_api_key": sandbox.key()})))
}

/// compat: a conversation without a container has no such method.
async fn clear(
    State(app): State<Arc<App>>,
    Path(path): Path<WorkspacePath>,
) -> Result<StatusCode, ApiError> {
    let slot = slot(&app, &path)?.ok_or_else(|| ApiError::method_not_allowed(&Method::GET))?;
    slot.clear().await;
    Ok(StatusCode::NO_CONTENT)
}

/// Steps as they happen, then how it ended. One that does not run at present is waited for.
async fn progress(
    State(app): State<Arc<App>>,
    Path(path): Path<WorkspacePath>,
) -> Result<Response, ApiError> {
    let slot = slot(&app, &path)?;
    let stop = app.stopping().clone();
    let frames = frames(app, path.conversation_id, slot);
    let frames = frames.take_until(stop.cancelled_owned());
    Ok(Sse::new(frames)
        .keep_alive(KeepAlive::default())
        .into_response())
}

fn frames(
    app: Arc<App>,
    id: ConversationId,
    slot: Option<Arc<Slot>>,
) -> impl Stream<Item = Result<SseEvent, Infallible>> {
    let follow = slot.as_ref().map(|slot| slot.follow());
    let told = VecDeque::from([state_frame(&app, id)]);
    futures_util::stream::unfold((follow, told, false), move |(follow, told, ended)| {
        let (app, slot) = (Arc::clone(&app), slot.clone());
        async move {
            let (mut follow, mut told, mut ended) = (follow, told, ended);
            loop {
                if let Some(frame) = told.pop_front() {
                    return Some((Ok(frame), (follow, told, ended)));
                }
                let (Some((steps, state)), Some(slot), false) = (&mut follow, &slot, ended) else {
                    return None;
                };
                let settled = matches!(
                    *state.borrow_and_update(),
                    SlotState::Available(_) | SlotState::Failed(_)
                );
                told.extend(steps.take().iter().map(step_frame));
                if settled {
                    told.push_back(state_frame(&app, slot.conversation()));
                    ended = true;
                } else if told.is_empty() {
                    tokio::select! {
                        () = steps.changed() => {}
                        _ = state.changed() => {}
                    }
                }
            }
        }
    })
}

fn step_frame(step: &Step) -> SseEvent {
    let data =
        json!({"timestamp": step.timestamp, "message": step.message, "percent": step.percent});
    SseEvent::default().event("step").data(data.to_string())
}

fn state_frame(app: &App, id: ConversationId) -> SseEvent {
    let info = app.conversations.runtime_info(id);
    let data = Form::REST.to_string(&info).unwrap_or_default();
    SseEvent::default().event("state").data(data)
}

async fn changes(
    at: There,
    Query(query): Query<GitChangesQuery>,
) -> Result<Reply<Vec<GitChange>>, ApiError> {
    git::changes(&at.place().app, &query).await
}

async fn diff(at: There, Query(query): Query<GitDiffQuery>) -> Result<Reply<GitDiff>, ApiError> {
    git::diff(&at.place().app, &query).await
}

async fn commits(
    at: There,
    Query(query): Query<GitCommitsQuery>,
) -> Result<Reply<GitCommitsPage>, ApiError> {
    git::commits(&at.place().app, &query).await
}

async fn commit_changes(
    at: There,
    Path(commit): Path<GitCommitPath>,
    Query(query): Query<GitCommitChangesQuery>,
) -> Result<Reply<Vec<GitChange>>, ApiError> {
    git::commit_changes(&at.place().app, &commit.sha, &query).await
}

async fn vscode_url(
    at: There,
    Query(query): Query<RuntimeVsCodeUrlQuery>,
) -> Result<Reply<VsCodeUrlResponse>, ApiError> {
    let place = at.place();
    let workspace = place.conversation.map(|(_, root)| root).unwrap_or_default();
    let asked = VsCodeUrlQuery {
        base_url: query.base_url,
        workspace_dir: query
            .workspace_dir
            .unwrap_or_else(|| workspace.to_string_lossy().into_owned()),
        ..VsCodeUrlQuery::default()
    };
    vscode::url(&place.app, &asked)
}

async fn vscode_status(at: There) -> Reply<VsCodeStatus> {
    vscode::status(&at.place().app)
}

//! The runtime of a conversation, and the services of this server bound to its workspace.

use std::sync::Arc;

use axum::extract::State;
use openhands_protocol::conversation::ConversationRuntimeInfo;
use openhands_protocol::git::{
    GitChange, GitChangesQuery, GitCommitChangesQuery, GitCommitPath, GitCommitsPage,
    GitCommitsQuery, GitDiff, GitDiffQuery,
};
use openhands_protocol::server::{
    RuntimeVsCodeUrlQuery, VsCodeStatus, VsCodeUrlQuery, VsCodeUrlResponse,
};
use openhands_protocol::workspace::WorkspacePath;

use crate::app::App;
use crate::http::{ApiError, Path, Query, Reply, Routes};
use crate::services::conversations::runtime_info;
use crate::v1::place::{Located as _, There};
use crate::v1::{bash, files, git, vscode};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/api/conversations/{conversation_id}/runtime", runtime)
        .says("Whether the runtime of a conversation can be used")
        .answers::<ConversationRuntimeInfo>(200)
        .post(
            "/api/conversations/{conversation_id}/runtime/reprovision",
            runtime,
        )
        .says("Make the runtime of a conversation usable again")
        .answers::<ConversationRuntimeInfo>(200)
        .merge(bash::scoped_routes())
        .merge(files::scoped_routes())
        .merge(git_routes())
        .merge(vscode_routes())
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

/// Conversations run in this process, so there is nothing that could be missing.
async fn runtime(
    State(app): State<Arc<App>>,
    Path(path): Path<WorkspacePath>,
) -> Result<Reply<ConversationRuntimeInfo>, ApiError> {
    match app.conversations.entry(path.conversation_id) {
        Some(_) => Ok(Reply(runtime_info())),
        None => Err(ApiError::not_found("Not Found")),
    }
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

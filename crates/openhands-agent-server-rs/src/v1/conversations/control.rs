//! Letting a conversation run, and stopping it.

use std::sync::Arc;

use axum::extract::State;
use openhands_protocol::conversation::{ConversationPath, StartGoalRequest, Success};

use crate::app::App;
use crate::http::{ApiError, Body, Path, Reply, Routes};

pub(super) fn routes() -> Routes {
    Routes::new()
        .post("/api/conversations/{conversation_id}/run", run)
        .says("Let the agent work, in the background")
        .answers::<Success>(200)
        .post("/api/conversations/{conversation_id}/pause", pause)
        .says("Stop after the present step")
        .answers::<Success>(200)
        .post("/api/conversations/{conversation_id}/interrupt", interrupt)
        .says("Stop at once: the model and the tools are cut off")
        .answers::<Success>(200)
        .post("/api/conversations/{conversation_id}/goal", start_goal)
        .says("Let the agent work until a judge finds an objective reached")
        .answers::<Success>(200)
        .post("/api/conversations/{conversation_id}/goal/stop", stop_goal)
        .says("End the goal loop")
        .answers::<Success>(200)
        .post(
            "/api/conversations/{conversation_id}/goal/resume",
            resume_goal,
        )
        .says("Go on with a goal that was interrupted")
        .answers::<Success>(200)
}

async fn run(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
) -> Result<Reply<Success>, ApiError> {
    let held = app.conversations.open(path.conversation_id).await?;
    app.conversations.run(&held).await?;
    Ok(Reply(Success::default()))
}

async fn pause(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
) -> Result<Reply<Success>, ApiError> {
    let held = app.conversations.open(path.conversation_id).await?;
    app.conversations.pause(&held).await?;
    Ok(Reply(Success::default()))
}

async fn interrupt(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
) -> Result<Reply<Success>, ApiError> {
    let held = app.conversations.open(path.conversation_id).await?;
    app.conversations.interrupt(&held).await?;
    Ok(Reply(Success::default()))
}

async fn start_goal(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
    Body(request): Body<StartGoalRequest>,
) -> Result<Reply<Success>, ApiError> {
    let held = app.conversations.open(path.conversation_id).await?;
    app.conversations
        .pursue(&held, request.objective, request.max_iterations)
        .await?;
    Ok(Reply(Success::default()))
}

async fn stop_goal(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
) -> Result<Reply<Success>, ApiError> {
    let held = app.conversations.open(path.conversation_id).await?;
    held.conversation().stop_goal().await?;
    Ok(Reply(Success::default()))
}

async fn resume_goal(
    State(app): State<Arc<App>>,
    Path(path): Path<ConversationPath>,
) -> Result<Reply<Success>, ApiError> {
    let held = app.conversations.open(path.conversation_id).await?;
    app.conversations.resume_goal(&held).await?;
    Ok(Reply(Success::default()))
}

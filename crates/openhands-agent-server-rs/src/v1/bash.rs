//! Commands that clients run beside the agent.

use std::sync::Arc;

use futures_util::StreamExt as _;
use openhands_protocol::Extra;
use openhands_protocol::bash::{
    BashCommand, BashCommandPath, BashEvent, BashEventPath, BashOutput, ClearedBashEvents,
    ExecuteBashRequest, SearchBashEventsQuery,
};
use openhands_protocol::conversation::{BashEventPage, Success};

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use crate::http::{ApiError, Body, Path, Query, Reply, Routes};
use crate::services::bash::{Search, StartError};
use crate::v1::place::{Here, Located, There};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/api/bash/bash_events/search", search::<Here>)
        .says("Commands and their output, page by page")
        .answers::<BashEventPage>(200)
        .get("/api/bash/bash_events/{event_id}", event::<Here>)
        .says("A command or a piece of output")
        .answers::<BashEvent>(200)
        .get("/api/bash/bash_events/", events::<Here>)
        .says("Commands and pieces of output by their ids; null for those that are not there")
        .answers::<Vec<Option<BashEvent>>>(200)
        .post("/api/bash/start_bash_command", start::<Here>)
        .says("Start a command")
        .answers::<BashCommand>(200)
        .post("/api/bash/execute_bash_command", execute::<Here>)
        .says("Run a command to its end and get all of its output")
        .answers::<BashOutput>(200)
        .delete("/api/bash/bash_events", clear::<Here>)
        .says("Remove all stored commands and output")
        .answers::<ClearedBashEvents>(200)
        .post("/api/bash/bash_commands/{command_id}/stop", stop::<Here>)
        .says("Stop a command")
        .answers::<Success>(200)
}

/// The same in the workspace of a conversation.
pub(crate) fn scoped_routes() -> Routes {
    Routes::new()
        .get(
            "/api/conversations/{runtime_conversation_id}/bash/bash_events/search",
            search::<There>,
        )
        .says("Commands of a conversation and their output, page by page")
        .answers::<BashEventPage>(200)
        .get(
            "/api/conversations/{runtime_conversation_id}/bash/bash_events/{event_id}",
            event::<There>,
        )
        .says("A command of a conversation or a piece of output")
        .answers::<BashEvent>(200)
        .get(
            "/api/conversations/{runtime_conversation_id}/bash/bash_events/",
            events::<There>,
        )
        .says("Commands of a conversation and pieces of output by their ids")
        .answers::<Vec<Option<BashEvent>>>(200)
        .post(
            "/api/conversations/{runtime_conversation_id}/bash/start_bash_command",
            start::<There>,
        )
        .says("Start a command in the workspace of a conversation")
        .answers::<BashCommand>(200)
        .post(
            "/api/conversations/{runtime_conversation_id}/bash/execute_bash_command",
            execute::<There>,
        )
        .says("Run a command in the workspace of a conversation to its end")
        .answers::<BashOutput>(200)
        .delete(
            "/api/conversations/{runtime_conversation_id}/bash/bash_events",
            clear::<There>,
        )
        .says("Remove all stored commands of a conversation and their output")
        .answers::<ClearedBashEvents>(200)
        .post(
            "/api/conversations/{runtime_conversation_id}/bash/bash_commands/{command_id}/stop",
            stop::<There>,
        )
        .says("Stop a command of a conversation")
        .answers::<Success>(200)
        .all_of_runtime()
}

async fn search<L: Located>(
    at: L,
    Query(query): Query<SearchBashEventsQuery>,
) -> Result<Reply<BashEventPage>, ApiError> {
    let search = Search {
        kind: query
            .kind
            .map(openhands_protocol::bash::BashEventKind::as_str),
        command: query.command_id,
        from: query.from.map(|time| time.timestamp()),
        before: query.before.map(|time| time.timestamp()),
        after_order: query.after_order,
        sort: query.sort_order,
        page_id: query.page_id,
        limit: usize::try_from(query.limit).unwrap_or(1),
    };
    let page = at
        .place()
        .bash
        .events()
        .search(search)
        .await
        .map_err(ApiError::internal)?;
    Ok(Reply(BashEventPage {
        items: page.items,
        next_page_id: page.next,
        extra: Extra::EMPTY,
    }))
}

async fn event<L: Located>(
    at: L,
    Path(path): Path<BashEventPath>,
) -> Result<Reply<BashEvent>, ApiError> {
    let events = at.place().bash.events().events(vec![path.event_id]).await;
    let mut events = events.map_err(ApiError::internal)?;
    events
        .pop()
        .flatten()
        .map(Reply)
        .ok_or_else(|| ApiError::not_found("Not Found"))
}

async fn events<L: Located>(
    at: L,
    Body(ids): Body<Vec<String>>,
) -> Result<Reply<Vec<Option<BashEvent>>>, ApiError> {
    let events = at.place().bash.events().events(ids).await;
    events.map(Reply).map_err(ApiError::internal)
}

async fn start<L: Located>(
    at: L,
    Body(request): Body<ExecuteBashRequest>,
) -> Result<Reply<BashCommand>, ApiError> {
    let place = at.place();
    place.app.activity.touch();
    place.check_cwd(request.cwd.as_deref()).await?;
    place
        .bash
        .start(request)
        .await
        .map(Reply)
        .map_err(not_started)
}

async fn execute<L: Located>(
    at: L,
    Body(request): Body<ExecuteBashRequest>,
) -> Result<Response, ApiError> {
    let place = at.place();
    place.app.activity.touch();
    place.check_cwd(request.cwd.as_deref()).await?;
    let answer = place.bash.execute(request).await.map_err(not_started)?;
    // The command may print on while its output is sent.
    let app = Arc::clone(&place.app);
    let json = answer.json.inspect(move |_| app.activity.touch());
    let mut response = axum::body::Body::from_stream(json).into_response();
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    if let Some(length) = answer.length {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    Ok(response)
}

fn not_started(error: StartError) -> ApiError {
    match error {
        StartError::Closed => ApiError::masked(StatusCode::SERVICE_UNAVAILABLE, error),
        StartError::Store(_) => ApiError::internal(error),
    }
}

async fn clear<L: Located>(at: L) -> Result<Reply<ClearedBashEvents>, ApiError> {
    let count = at
        .place()
        .bash
        .events()
        .clear()
        .await
        .map_err(ApiError::internal)?;
    Ok(Reply(ClearedBashEvents {
        cleared_count: i64::try_from(count).unwrap_or(i64::MAX),
        extra: Extra::EMPTY,
    }))
}

async fn stop<L: Located>(
    at: L,
    Path(path): Path<BashCommandPath>,
) -> Result<Reply<Success>, ApiError> {
    let place = at.place();
    place.app.activity.touch();
    if place
        .bash
        .stop(path.command_id)
        .await
        .map_err(ApiError::internal)?
    {
        Ok(Reply(Success::default()))
    } else {
        Err(ApiError::not_found("Not Found"))
    }
}

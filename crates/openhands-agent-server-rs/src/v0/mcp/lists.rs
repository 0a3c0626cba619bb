//! The prompts and resources of several servers, asked at once. One that does not answer has none.

use futures_util::future::join_all;
use openhands_sdk_rs::mcp::{McpRelay, RelayError};
use rmcp::model::{
    ClientRequest, ErrorCode, ListPromptsRequest, ListResourceTemplatesRequest,
    ListResourcesRequest, PaginatedRequestParams, Prompt, Resource, ResourceTemplate, ServerResult,
};
use tokio_util::sync::CancellationToken;

/// Pages of one list.
const MAX_PAGES: usize = 100;

/// A list of each server, with its name.
type ByServer<T> = Vec<(String, Vec<T>)>;

/// What a page has, and where the next begins.
type Page<T> = (Vec<T>, Option<String>);

pub(super) async fn prompts(relays: &[McpRelay], stop: &CancellationToken) -> ByServer<Prompt> {
    of_all(
        relays,
        stop,
        |at| ClientRequest::ListPromptsRequest(ListPromptsRequest::with_param(at)),
        |answer| match answer {
            ServerResult::ListPromptsResult(page) => Some((page.prompts, page.next_cursor)),
            _ => None,
        },
    )
    .await
}

pub(super) async fn resources(relays: &[McpRelay], stop: &CancellationToken) -> ByServer<Resource> {
    of_all(
        relays,
        stop,
        |at| ClientRequest::ListResourcesRequest(ListResourcesRequest::with_param(at)),
        |answer| match answer {
            ServerResult::ListResourcesResult(page) => Some((page.resources, page.next_cursor)),
            _ => None,
        },
    )
    .await
}

pub(super) async fn templates(
    relays: &[McpRelay],
    stop: &CancellationToken,
) -> ByServer<ResourceTemplate> {
    of_all(
        relays,
        stop,
        |at| {
            ClientRequest::ListResourceTemplatesRequest(ListResourceTemplatesRequest::with_param(
                at,
            ))
        },
        |answer| match answer {
            ServerResult::ListResourceTemplatesResult(page) => {
                Some((page.resource_templates, page.next_cursor))
            }
            _ => None,
        },
    )
    .await
}

async fn of_all<T>(
    relays: &[McpRelay],
    stop: &CancellationToken,
    ask: impl Fn(PaginatedRequestParams) -> ClientRequest,
    take: impl Fn(ServerResult) -> Option<Page<T>>,
) -> ByServer<T> {
    let (ask, take) = (&ask, &take);
    let each = relays.iter().map(|relay| async move {
        let items = match of_one(relay, stop, ask, take).await {
            Ok(items) => items,
            // A server may have resources and no templates.
            Err(RelayError::Answered(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => {
                Vec::new()
            }
            Err(error) => {
                tracing::warn!(server = relay.name(), %error, "a list of an MCP server is left out");
                Vec::new()
            }
        };
        (relay.name().to_owned(), items)
    });
    join_all(each).await
}

async fn of_one<T>(
    relay: &McpRelay,
    stop: &CancellationToken,
    ask: impl Fn(PaginatedRequestParams) -> ClientRequest,
    take: impl Fn(ServerResult) -> Option<Page<T>>,
) -> Result<Vec<T>, RelayError> {
    let mut items = Vec::new();
    let mut cursor: Option<String> = None;
    for _ in 0..MAX_PAGES {
        let at = PaginatedRequestParams::default().with_cursor(cursor.clone());
        let answer = relay.request(ask(at), None, stop).await?;
        let Some((page, next)) = take(answer) else {
            break;
        };
        items.extend(page);
        if next.is_none() || next == cursor {
            break;
        }
        cursor = next;
    }
    Ok(items)
}

//! What a client of the router talks to: one server that has the tools, prompts and resources of all.

use std::borrow::Cow;
use std::sync::Arc;

use futures_util::future::join_all;
use openhands_sdk_rs::mcp::{McpRelay, RelayError};
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResponse, ClientRequest, CompleteRequest,
    CompleteRequestParams, CompleteResult, ErrorData, GetMeta as _, GetPromptRequest,
    GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequest, ReadResourceRequestParams, ReadResourceResponse,
    Reference, ServerCapabilities, ServerConfig, ServerResult, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::lists;
use super::progress;
use super::result;
use super::router::Router;
use super::upstream::Upstream;

/// The newest protocol in which a session begins with `initialize`; the one after it has no sessions.
const NEWEST: ProtocolVersion = ProtocolVersion::V_2025_11_25;

/// The server that one session of a client sees.
#[derive(Debug)]
pub(super) struct Face {
    router: Arc<Router>,
    profile: Option<String>,
    ended: CancellationToken,
    _ended_if_dropped: DropGuard,
}

/// A server that a request is for, with the name that it knows the thing by.
struct Target {
    relay: McpRelay,
    name: String,
}

impl Face {
    pub(super) fn new(router: &Arc<Router>, profile: Option<String>) -> Self {
        let ended = CancellationToken::new();
        Self {
            router: Arc::clone(router),
            profile,
            _ended_if_dropped: ended.clone().drop_guard(),
            ended,
        }
    }

    fn upstreams(&self) -> Vec<Arc<Upstream>> {
        self.router.set().of_profile(self.profile.as_deref())
    }

    /// The servers once they have started, or have had the time for it.
    async fn settled(&self) -> Vec<Arc<Upstream>> {
        let upstreams = self.upstreams();
        let limit = self.router.start_limit();
        join_all(upstreams.iter().map(|upstream| upstream.started(limit))).await;
        upstreams
    }

    /// The way to those servers that have an ability.
    fn able(
        upstreams: &[Arc<Upstream>],
        has: impl Fn(&ServerCapabilities) -> bool,
    ) -> Vec<McpRelay> {
        upstreams
            .iter()
            .filter_map(|upstream| upstream.relay())
            .filter(|relay| relay.capabilities().as_ref().is_some_and(&has))
            .collect()
    }

    /// All tools under the names that clients know, each with where it is.
    fn tools(&self, upstreams: &[Arc<Upstream>]) -> Vec<(Tool, Target)> {
        let set = self.router.set();
        let mut tools: Vec<(Tool, Target)> = Vec::new();
        for relay in upstreams.iter().filter_map(|upstream| upstream.relay()) {
            let prefix = set.prefix(relay.name());
            for mut tool in relay.tools() {
                let target = Target {
                    relay: relay.clone(),
                    name: tool.name.to_string(),
                };
                tool.name = Cow::Owned(format!("{prefix}{}", tool.name));
                // Of two with one name, the first counts.
                if !tools.iter().any(|(known, _)| known.name == tool.name) {
                    tools.push((tool, target));
                }
            }
        }
        tools
    }

    /// The server that a name is of, by what stands before it. The longest prefix counts: `a_b_x` is of `a_b`.
    fn by_prefix(&self, upstreams: &[Arc<Upstream>], name: &str) -> Option<Target> {
        let set = self.router.set();
        upstreams
            .iter()
            .filter_map(|upstream| {
                let relay = upstream.relay()?;
                let own = name.strip_prefix(&set.prefix(relay.name()))?;
                Some(Target {
                    relay,
                    name: own.to_owned(),
                })
            })
            .min_by_key(|target| target.name.len())
    }

    /// Asks a server, with the client's progress and cancellation.
    ///
    /// The library drops a handler whose request is cancelled, or whose client is gone, at any moment. The question is therefore
    /// asked by a task of its own, which is then told to stop and still gets to tell the server.
    async fn forward(
        &self,
        relay: &McpRelay,
        mut request: ClientRequest,
        cx: &RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        *request.get_meta_mut() = cx.meta.clone();
        let stop = cx.ct.child_token();
        let _stopped_if_dropped = stop.clone().drop_guard();
        let answer = progress::with_progress(cx, |steps| {
            let relay = relay.clone();
            let asking = async move { relay.request(request, steps, &stop).await };
            self.router.tasks.spawn(asking)
        });
        match answer.await {
            Ok(answer) => answer.map_err(refused),
            Err(lost) => Err(ErrorData::internal_error(lost.to_string(), None)),
        }
    }

    /// Asks servers one after the other until one has an answer.
    async fn first(
        &self,
        relays: &[McpRelay],
        request: ClientRequest,
        cx: &RequestContext<RoleServer>,
        unknown: String,
    ) -> Result<ServerResult, ErrorData> {
        let mut refusal = ErrorData::resource_not_found(unknown, None);
        for relay in relays {
            match self.forward(relay, request.clone(), cx).await {
                Ok(answer) => return Ok(answer),
                Err(error) => refusal = error,
            }
        }
        Err(refusal)
    }
}

/// A failure in the protocol's form; a server's own error is passed on as it is.
fn refused(error: RelayError) -> ErrorData {
    match error {
        RelayError::Answered(error) => error,
        other @ (RelayError::NotConnected { .. }
        | RelayError::Failed { .. }
        | RelayError::TimedOut { .. }
        | RelayError::Cancelled) => ErrorData::internal_error(other.to_string(), None),
    }
}

impl ServerHandler for Face {
    fn get_info(&self) -> ServerConfig {
        // All that a server may have, because other servers may come.
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        ServerConfig::new(capabilities)
            .with_protocol_version(NEWEST)
            .with_server_info(Implementation::new("openhands", env!("CARGO_PKG_VERSION")))
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::known_up_to(&NEWEST))
    }

    async fn on_initialized(&self, cx: NotificationContext<RoleServer>) {
        self.router.tell_changes(cx.peer, self.ended.clone());
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let upstreams = self.settled().await;
        let tools = self.tools(&upstreams);
        Ok(ListToolsResult::with_all_items(
            tools.into_iter().map(|(tool, _)| tool).collect(),
        ))
    }

    async fn call_tool(
        &self,
        mut params: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let upstreams = self.upstreams();
        let listed = self.tools(&upstreams);
        let target = listed
            .into_iter()
            .find(|(tool, _)| tool.name == params.name)
            .map(|(_, target)| target)
            // A server that has not come up yet has no list.
            .or_else(|| self.by_prefix(&upstreams, &params.name));
        let Some(target) = target else {
            let unknown = format!("Unknown tool: {}", params.name);
            return Err(ErrorData::invalid_params(unknown, None));
        };
        params.name = Cow::Owned(target.name);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let answer = self.forward(&target.relay, request, &cx).await?;
        result::of_call(answer)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let upstreams = self.settled().await;
        let relays = Self::able(&upstreams, |abilities| abilities.prompts.is_some());
        let set = self.router.set();
        let mut prompts = Vec::new();
        for (server, own) in lists::prompts(&relays, &cx.ct).await {
            let prefix = set.prefix(&server);
            prompts.extend(own.into_iter().map(|mut prompt| {
                prompt.name.insert_str(0, &prefix);
                prompt
            }));
        }
        Ok(ListPromptsResult::with_all_items(prompts))
    }

    async fn get_prompt(
        &self,
        mut params: GetPromptRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let Some(target) = self.by_prefix(&self.upstreams(), &params.name) else {
            let unknown = format!("Unknown prompt: {}", params.name);
            return Err(ErrorData::invalid_params(unknown, None));
        };
        params.name = target.name;
        let request = ClientRequest::GetPromptRequest(GetPromptRequest::new(params));
        match self.forward(&target.relay, request, &cx).await? {
            ServerResult::GetPromptResult(prompt) => Ok(prompt.into()),
            _ => Err(result::unexpected("a prompt")),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let upstreams = self.settled().await;
        let relays = Self::able(&upstreams, |abilities| abilities.resources.is_some());
        let resources = lists::resources(&relays, &cx.ct).await;
        Ok(ListResourcesResult::with_all_items(
            resources.into_iter().flat_map(|(_, own)| own).collect(),
        ))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let upstreams = self.settled().await;
        let relays = Self::able(&upstreams, |abilities| abilities.resources.is_some());
        let templates = lists::templates(&relays, &cx.ct).await;
        Ok(ListResourceTemplatesResult::with_all_items(
            templates.into_iter().flat_map(|(_, own)| own).collect(),
        ))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let upstreams = self.settled().await;
        let mut relays = Self::able(&upstreams, |abilities| abilities.resources.is_some());
        if relays.len() > 1 {
            // Addresses are kept as they are. One that a server lists is its own; any may know one of a template.
            let listed = lists::resources(&relays, &cx.ct).await;
            let owner = listed
                .iter()
                .find(|(_, own)| own.iter().any(|resource| resource.uri == params.uri))
                .map(|(server, _)| server.clone());
            if let Some(owner) = owner {
                relays.retain(|relay| relay.name() == owner);
            }
        }
        let unknown = format!("Unknown resource: {}", params.uri);
        let request = ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params));
        match self.first(&relays, request, &cx, unknown).await? {
            ServerResult::ReadResourceResult(read) => Ok(read.into()),
            _ => Err(result::unexpected("a resource")),
        }
    }

    async fn complete(
        &self,
        mut params: CompleteRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let upstreams = self.upstreams();
        let mut relays = Self::able(&upstreams, |abilities| abilities.completions.is_some());
        if let Reference::Prompt(prompt) = &mut params.r#ref {
            let target = self.by_prefix(&upstreams, &prompt.name);
            relays.retain(|relay| {
                target
                    .as_ref()
                    .is_some_and(|target| target.relay.name() == relay.name())
            });
            if let Some(target) = target {
                prompt.name = target.name;
            }
        }
        if relays.is_empty() {
            // Nothing to suggest is no error.
            return Ok(CompleteResult::default());
        }
        let request = ClientRequest::CompleteRequest(CompleteRequest::new(params));
        match self.first(&relays, request, &cx, String::new()).await? {
            ServerResult::CompleteResult(completion) => Ok(completion),
            _ => Err(result::unexpected("a completion")),
        }
    }
}

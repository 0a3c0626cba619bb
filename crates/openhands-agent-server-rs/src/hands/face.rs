//! What a client of the protocol talks to.

use std::sync::Arc;

use axum::http::request::Parts;
use openhands_sdk_rs::runtime::hands::{CallMeta, EXEC, Fault, RESERVED};
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::bench::Bench;
use super::calls::{Call, Entry};
use super::follow::{Follower, OnCancel};
use super::tool_call::ToolCall;
use super::{Hands, Owner, files, result};

/// The header by which a request belongs to a session.
const SESSION_HEADER: &str = "mcp-session-id";

/// The server that one session sees, or one request without a session.
#[derive(Debug)]
pub(super) struct Face {
    hands: Arc<Hands>,
    session: Uuid,
}

impl Face {
    pub(super) fn new(hands: &Arc<Hands>) -> Self {
        Self {
            hands: Arc::clone(hands),
            session: Uuid::new_v4(),
        }
    }

    /// A call that takes its time: it runs by itself, and this request watches it.
    async fn long_call(
        &self,
        owner: Owner,
        is_session: bool,
        order: Order,
        cx: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let hands = &self.hands;
        let id = order.meta.call.clone();
        // Without a session, a cancelled request is a lost connection; in one, it is the client's wish.
        let on_cancel = if is_session || id.is_none() {
            OnCancel::End
        } else {
            OnCancel::GoOn
        };
        let Some(id) = id else {
            let call = Call::new(&order.tool, &hands.stop);
            let follower = Follower::new(Arc::clone(&call), on_cancel, true);
            self.begin(owner, None, call, order)?;
            return follower.answer(cx).await;
        };
        if let Some(instance) = &order.meta.again
            && *instance != hands.instance
            && !hands.calls.knows(owner, &id)
        {
            return Ok(result::fault(
                Fault::Lost,
                "it was started anew while the call ran, and what came of the call is not known",
            ));
        }
        match hands.calls.enter(owner, &id, &order.tool, &hands.stop) {
            Entry::New(call) => {
                let follower = Follower::new(Arc::clone(&call), on_cancel, false);
                if let Err(error) = self.begin(owner, Some(id.clone()), Arc::clone(&call), order) {
                    let text = error.message.to_string();
                    let refused = result::fault(Fault::Invalid, text);
                    hands.calls.end(owner, &id, &call, refused);
                }
                follower.answer(cx).await
            }
            Entry::Known(call) if call.tool == order.tool || call.tool.is_empty() => {
                Follower::new(call, on_cancel, false).answer(cx).await
            }
            Entry::Known(_) => {
                let used = format!("the call id '{id}' was used for another tool");
                Err(ErrorData::invalid_params(used, None))
            }
        }
    }

    /// Starts the work of a call.
    fn begin(
        &self,
        owner: Owner,
        id: Option<String>,
        call: Arc<Call>,
        order: Order,
    ) -> Result<(), ErrorData> {
        if order.tool == EXEC {
            let params = files::read(order.arguments)?;
            let work = files::exec(order.bench, params, Arc::clone(&call));
            self.hands.start(owner, id, call, work);
        } else {
            let tool = ToolCall {
                bench: order.bench,
                tool: order.tool,
                arguments: order.arguments,
                meta: order.meta,
                shows_output: order.shows_output,
            };
            let work = tool.run(Arc::clone(&call));
            self.hands.start(owner, id, call, work);
        }
        Ok(())
    }
}

/// What a request wants to be done.
struct Order {
    bench: Arc<Bench>,
    tool: String,
    arguments: Map<String, Value>,
    meta: CallMeta,
    shows_output: bool,
}

impl Drop for Face {
    fn drop(&mut self) {
        // Faces of single requests have no tools of their own: this finds nothing then.
        let owner = Owner::Session(self.session);
        if self.hands.benches.lock().contains_key(&owner) {
            let hands = Arc::clone(&self.hands);
            self.hands
                .tasks
                .spawn(async move { hands.close(owner).await });
        }
    }
}

impl ServerHandler for Face {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("openhands", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.hands.listing()))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let meta = Value::Object(cx.meta.0.0.clone());
        let meta: CallMeta = serde_json::from_value(meta)
            .map_err(|error| ErrorData::invalid_params(format!("_meta: {error}"), None))?;
        let is_session = cx
            .extensions
            .get::<Parts>()
            .is_some_and(|parts| parts.headers.contains_key(SESSION_HEADER));
        let owner = match meta.conversation {
            Some(conversation) => Owner::Conversation(conversation),
            None if is_session => Owner::Session(self.session),
            None => Owner::Shared,
        };
        let tool = params.name.into_owned();
        let arguments = params.arguments.unwrap_or_default();
        if let Some(answer) = self.hands.control(owner, &tool, &arguments).await? {
            return Ok(answer.into());
        }
        let bench = self.hands.bench(owner, meta.equipment.clone());
        let answer = if tool == EXEC || !tool.starts_with(RESERVED) {
            if tool != EXEC && meta.equipment.is_none() && !bench.has(&tool) {
                let unknown = format!("Unknown tool: {tool}");
                return Err(ErrorData::invalid_params(unknown, None));
            }
            let order = Order {
                bench,
                tool,
                arguments,
                meta,
                shows_output: cx.meta.get_progress_token().is_some(),
            };
            self.long_call(owner, is_session, order, &cx).await?
        } else {
            self.hands
                .file_work(owner, &bench, &tool, arguments)
                .await?
        };
        Ok(answer.into())
    }
}

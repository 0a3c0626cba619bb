//! A server for the tests, in this very program: run again under the name of one test, it serves.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ResourceContents,
    ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ServerHandler, ServiceExt as _};
use serde_json::{Map, Value, json};

/// Set for a process that shall serve.
pub(crate) const SERVE: &str = "MCP_TEST_SERVER";
const PAGE: usize = 4;

#[derive(Clone, Default)]
pub(crate) struct TestServer {
    grown: Arc<AtomicBool>,
}

/// Serves instead of testing anything, if it is asked to. The harness writes to standard output, so that the
/// protocol has descriptor 3 for what it says.
#[test]
fn serve_over_stdio() {
    if std::env::var_os(SERVE).is_none() {
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let out = tokio::fs::File::options()
            .write(true)
            .open("/dev/fd/3")
            .await
            .unwrap();
        let service = TestServer::default()
            .serve((tokio::io::stdin(), out))
            .await
            .unwrap();
        service.waiting().await.unwrap();
    });
    // The thread that reads standard input would hold the runtime.
    std::process::exit(0);
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn tool(name: &'static str, properties: Value) -> Tool {
    Tool::new(
        name,
        format!("does {name}"),
        object(json!({"type": "object", "properties": properties})),
    )
}

impl TestServer {
    fn tools(&self) -> Vec<Tool> {
        let text = json!({"type": "string"});
        let mut tools = vec![
            tool("echo", json!({"text": text}))
                .with_annotations(ToolAnnotations::with_title("Echo").read_only(true)),
            tool("pid", json!({})),
            tool("env", json!({"name": text})),
            tool("mixed", json!({})),
            tool("error", json!({})),
            tool("fail", json!({})),
            tool("structured", json!({})),
            tool(
                "steps",
                json!({"steps": {"type": "integer"}, "cancelled": text}),
            ),
            tool("grow", json!({})),
            tool("crash", json!({})),
            tool("daemon", json!({})),
            tool("b_echo", json!({})),
        ];
        if self.grown.load(Ordering::SeqCst) {
            tools.remove(0);
            tools.push(tool("grown", json!({})));
        }
        tools
    }

    /// Tells of each step; with a file to write, waits then until it is cancelled and writes it.
    async fn steps(
        arguments: &Map<String, Value>,
        cx: &RequestContext<RoleServer>,
    ) -> CallToolResult {
        let steps = arguments["steps"].as_u64().unwrap();
        let token = cx.meta.get_progress_token().unwrap();
        for step in 1..=steps {
            let progress = ProgressNotificationParam::new(token.clone(), step as f64)
                .with_total(steps as f64)
                .with_message(format!("step {step}"));
            cx.peer.notify_progress(progress).await.unwrap();
        }
        if let Some(path) = arguments.get("cancelled").and_then(Value::as_str) {
            cx.ct.cancelled().await;
            std::fs::write(path, "cancelled").unwrap();
        }
        text("all steps done")
    }
}

fn text(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

impl ServerHandler for TestServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_tools()
                .enable_tool_list_changed()
                .build(),
        )
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let from: usize = request
            .and_then(|request| request.cursor)
            .map_or(0, |cursor| cursor.parse().unwrap());
        let tools = self.tools();
        let mut page =
            ListToolsResult::with_all_items(tools.iter().skip(from).take(PAGE).cloned().collect());
        page.next_cursor = (from + PAGE < tools.len()).then(|| (from + PAGE).to_string());
        Ok(page)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let argument = |name: &str| {
            arguments
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let result = match request.name.as_ref() {
            "echo" => text(argument("text")),
            "b_echo" => text("of the first"),
            "pid" => text(std::process::id().to_string()),
            "env" => text(std::env::var(argument("name")).unwrap_or_else(|_| "not set".to_owned())),
            "mixed" => CallToolResult::success(vec![
                ContentBlock::text("before"),
                ContentBlock::image("AAAA", "image/png"),
                ContentBlock::resource(ResourceContents::text("inside", "x:y")),
                ContentBlock::text("after"),
            ]),
            "error" => CallToolResult::error(vec![ContentBlock::text("that was wrong")]),
            "fail" => return Err(ErrorData::internal_error("out of order", None)),
            "structured" => CallToolResult::structured(json!({"answer": 42})),
            "steps" => Self::steps(&arguments, &cx).await,
            "grow" => {
                self.grown.store(true, Ordering::SeqCst);
                cx.peer.notify_tool_list_changed().await.unwrap();
                text("grown")
            }
            "crash" => {
                eprintln!("I cannot go on");
                std::process::exit(3);
            }
            "daemon" => {
                // It outlives its parent on purpose.
                #[allow(clippy::zombie_processes)]
                let child = std::process::Command::new("setsid")
                    .args(["sleep", "1000"])
                    .stdin(std::process::Stdio::null())
                    .stdout(std::process::Stdio::null())
                    .stderr(std::process::Stdio::null())
                    .spawn()
                    .unwrap();
                text(child.id().to_string())
            }
            other => return Err(ErrorData::invalid_params(format!("no tool {other}"), None)),
        };
        Ok(result.into())
    }
}

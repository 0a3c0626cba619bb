//! MCP: tools of another program. `cargo run -p openhands-sdk-rs --example mcp`.
//!
//! The agent is told the command of a server; here it is this very example with the argument `serve`. The server starts
//! when the conversation is created, its tools join the agent's own, and it ends with the conversation.
#![allow(clippy::print_stdout)] // an example prints

use std::sync::Arc;

use openhands_sdk_rs::protocol::mcp::McpServer;
use openhands_sdk_rs::{
    Agent, Conversation, ConversationConfig, Event, Host, Llm, Message, ScriptedModel,
};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ServerHandler, ServiceExt as _};
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        return serve().await;
    }
    let script = json!([
        {"text": "I ask the tide table.", "tools": [{"name": "high_water", "args": {"port": "Husum"}}]},
        "High water in Husum is at 14:20.",
    ]);
    let host = Host::new(std::env::vars().collect())
        .with_model(Arc::new(ScriptedModel::from_value(&script)?));
    let mut agent = Agent::new(Llm::default(), []);
    let server = McpServer {
        command: Some(std::env::current_exe()?.display().to_string()),
        args: Some(vec!["serve".to_owned()]),
        ..McpServer::default()
    };
    agent.mcp_config.insert("tides".to_owned(), server);
    let workspace = tempfile::tempdir()?;
    let config = ConversationConfig::new(agent, workspace.path());
    let conversation = Conversation::create(&Arc::new(host), config).await?;
    conversation
        .send_message(Message::user("When is high water in Husum?"))
        .await?;
    conversation.run_to_end().await?;
    for stored in conversation.events().range(0..u64::MAX).await? {
        match stored.event() {
            Event::SystemPrompt(prompt) => {
                let names: Vec<_> = prompt
                    .tools
                    .iter()
                    .map(|tool| tool.title.as_str())
                    .collect();
                println!("tools: {}", names.join(", "));
            }
            Event::Action(call) => {
                println!("call: {} {}", call.tool_name, call.tool_call.arguments);
            }
            Event::Observation(answer) => println!("answer: {}", answer.observation.text()),
            _ => {}
        }
    }
    println!("the agent: {}", conversation.final_response().await?);
    conversation.close().await?;
    Ok(())
}

/// The server: one tool, on standard input and output.
async fn serve() -> anyhow::Result<()> {
    let service = TideTable
        .serve((tokio::io::stdin(), tokio::io::stdout()))
        .await?;
    service.waiting().await?;
    // The thread that reads standard input would hold the runtime.
    std::process::exit(0);
}

#[derive(Clone)]
struct TideTable;

impl ServerHandler for TideTable {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = json!({"type": "object", "required": ["port"], "properties": {
            "port": {"type": "string", "description": "Name of the port."}}});
        let schema = schema.as_object().cloned().unwrap_or_default();
        let tool = Tool::new(
            "high_water",
            "The time of high water in a port today.",
            schema,
        );
        Ok(ListToolsResult::with_all_items(vec![tool]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let said = match arguments.get("port").and_then(Value::as_str) {
            Some("Husum") => "14:20",
            Some("Cuxhaven") => "13:05",
            _ => return Err(ErrorData::invalid_params("no such port", None)),
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(said)]).into())
    }
}

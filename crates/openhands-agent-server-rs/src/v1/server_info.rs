//! What the server says about itself.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use openhands_protocol::server::{HealthStatus, ReadyStatus, RuntimeKind, ServerInfo};

use crate::app::App;
use crate::config::Config;
use crate::http::{Reply, Routes};
use crate::services::activity::Activity;
use crate::services::tools;

/// The version of the Python server whose API is spoken: clients choose their calls by it.
pub(crate) const API_VERSION: &str = "1.58.0";

/// What is implemented of what clients ask for by name. Missing: the three about bindings of credentials.
const CAPABILITIES: &[&str] = &[
    "conversation_runtime_routes_v1",
    "profile_secret_scope_v1",
    "profile_persona_v1",
    "idempotent_conversation_create_v1",
    "tool_catalog_v1",
    "agent_profile_draft_materialize_v1",
    "agent_launch_pipeline_v1",
    "profile_public_skills_v1",
    "skill_catalog_v1",
];

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/alive", ok)
        .says("Whether the process is alive")
        .answers::<HealthStatus>(200)
        .get("/health", ok)
        .says("Whether the server is well")
        .answers::<HealthStatus>(200)
        .get("/ready", ready)
        .says("Whether the server takes requests")
        .answers::<ReadyStatus>(200)
        .get("/server_info", server_info)
        .says("Versions, tools and capabilities")
        .answers::<ServerInfo>(200)
        .get("/", root)
        .says("Versions, tools and capabilities, or the way to the static files")
        .answers::<ServerInfo>(200)
}

pub(crate) async fn ok() -> Reply<HealthStatus> {
    Reply(HealthStatus {
        status: "ok".to_owned(),
        ..HealthStatus::default()
    })
}

/// The port is opened when all services run, so whoever can ask gets a yes.
pub(crate) async fn ready() -> Reply<ReadyStatus> {
    Reply(ReadyStatus {
        status: "ready".to_owned(),
        ..ReadyStatus::default()
    })
}

async fn server_info(State(app): State<Arc<App>>) -> Reply<ServerInfo> {
    let registry = &app.conversations.host().registry;
    let tools = tools::usable_tools(registry, app.launches.has_browser());
    Reply(info(app.config(), &app.activity, tools))
}

/// With static files `/` leads to them.
async fn root(State(app): State<Arc<App>>) -> Response {
    let directory = app.config().static_files_path.as_deref();
    let Some(directory) = directory.filter(|directory| directory.is_dir()) else {
        return server_info(State(app)).await.into_response();
    };
    let target = if directory.join("index.html").exists() {
        "/static/index.html"
    } else {
        "/static/"
    };
    (axum::http::StatusCode::FOUND, [(header::LOCATION, target)]).into_response()
}

/// What the server says about itself at the moment.
pub(crate) fn info(config: &Config, activity: &Activity, usable_tools: Vec<String>) -> ServerInfo {
    let around = &config.surroundings;
    let mut info = ServerInfo {
        uptime: activity.uptime(),
        idle_time: activity.idle_time(),
        version: API_VERSION.to_owned(),
        sdk_version: API_VERSION.to_owned(),
        tools_version: API_VERSION.to_owned(),
        workspace_version: API_VERSION.to_owned(),
        build_git_sha: around.build_git_sha.clone(),
        build_git_ref: around.build_git_ref.clone(),
        python_version: format!("none: this is Rust, {}", env!("CARGO_PKG_NAME")),
        usable_tools,
        runtime_idle_timeout_seconds: around.runtime_idle_timeout_seconds,
        max_foreground_terminal_timeout_seconds: around.max_foreground_timeout_seconds(),
        conversation_runtime: config.conversation_runtime.clone(),
        available_conversation_runtimes: if config.conversation_runtime_selectable {
            vec![RuntimeKind::Local, RuntimeKind::Docker]
        } else {
            Vec::new()
        },
        capabilities: CAPABILITIES.iter().map(|&name| name.to_owned()).collect(),
        app_backend_ingress_url: config.app_backend_public_url.clone(),
        ..ServerInfo::default()
    };
    info.extra.insert(
        "implementation",
        concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")),
    );
    info
}

//! What the server says about itself.

use openhands_sdk_rs::tools::Registry;
use serde::Serialize;
use std::time::Instant;

/// The version of the Python server whose API is spoken: clients choose their calls by it.
const API_VERSION: &str = "1.58.0";

/// Since when the server runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Uptime(Instant);

impl Uptime {
    /// Now.
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Whole seconds, as a float: the form of the wire.
    fn seconds(self) -> f64 {
        self.0.elapsed().as_secs_f64().floor()
    }
}

/// The answer of `/server_info`.
#[derive(Debug, Serialize)]
pub(crate) struct ServerInfo {
    uptime: f64,
    idle_time: f64,
    title: &'static str,
    version: &'static str,
    sdk_version: &'static str,
    tools_version: &'static str,
    workspace_version: &'static str,
    build_git_sha: &'static str,
    build_git_ref: &'static str,
    usable_tools: Vec<String>,
    /// Only what is implemented is listed.
    capabilities: Vec<&'static str>,
}

impl ServerInfo {
    /// The state of this moment.
    pub(crate) fn now(uptime: Uptime) -> Self {
        Self {
            uptime: uptime.seconds(),
            idle_time: uptime.seconds(),
            title: "OpenHands Agent Server",
            version: API_VERSION,
            sdk_version: API_VERSION,
            tools_version: API_VERSION,
            workspace_version: API_VERSION,
            build_git_sha: option_env!("OPENHANDS_BUILD_GIT_SHA").unwrap_or("unknown"),
            build_git_ref: option_env!("OPENHANDS_BUILD_GIT_REF").unwrap_or("unknown"),
            usable_tools: Registry::standard().names().map(str::to_owned).collect(),
            capabilities: Vec::new(),
        }
    }
}

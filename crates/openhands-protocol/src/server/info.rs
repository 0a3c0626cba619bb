//! What a server says about itself.

use crate::text::words;
use crate::wire::wire;

words! {
    /// Where the tools of a conversation run.
    pub open enum RuntimeKind {
        Local = "local",
        Docker = "docker",
    }
}

wire! {
    /// Whether a server lives.
    pub struct HealthStatus (default) {
        status: String,
    }

    /// Versions, abilities and times.
    pub struct ServerInfo (default) {
        uptime: f64,
        idle_time: f64,
        title: String = "OpenHands Agent Server".to_owned(),
        version: String = String::new(),
        sdk_version: String = String::new(),
        tools_version: String = String::new(),
        workspace_version: String = String::new(),
        build_git_sha: String = String::new(),
        build_git_ref: String = String::new(),
        python_version: String = String::new(),
        usable_tools: Vec<String> = Vec::new(),
        runtime_idle_timeout_seconds: Option<f64> = None,
        conversation_runtime: RuntimeKind = RuntimeKind::Local,
        available_conversation_runtimes: Vec<RuntimeKind> = Vec::new(),
        capabilities: Vec<String> = Vec::new(),
        app_backend_ingress_url: Option<String> = None,
        max_foreground_terminal_timeout_seconds: Option<f64> = None,
        docs: String = "/docs".to_owned(),
        redoc: String = "/redoc".to_owned(),
    }

    /// Where the editor is.
    pub struct VsCodeUrlResponse (default) {
        url: Option<String>,
    }
}

wire! {
    /// How the editor is to be opened.
    pub struct VsCodeUrlQuery (default) {
        /// Where the editor is reached; otherwise at its own port of this machine.
        base_url: Option<String> = None,
        /// The directory to open.
        workspace_dir: String = "workspace".to_owned(),
    }

    /// How the editor is to be opened on the workspace of a conversation.
    pub struct RuntimeVsCodeUrlQuery (default) {
        /// Where the editor is reached; otherwise at its own port of this machine.
        base_url: Option<String> = None,
        /// The directory to open; otherwise the workspace.
        workspace_dir: Option<String> = None,
    }

    /// Whether the editor runs.
    pub struct VsCodeStatus (default) {
        running: bool,
        enabled: bool,
        message when some: Option<String> = None,
    }

    /// Whether a server is ready. The message is there only while it is not.
    pub struct ReadyStatus (default) {
        status: String,
        message when some: Option<String> = None,
    }
}

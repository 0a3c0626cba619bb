//! Pages and backends that extend the web page.

use indexmap::IndexMap;

use crate::text::words;
use crate::time::UtcTime;
use crate::wire::wire;

words! {
    /// What a backend is doing.
    pub open enum BackendState {
        Missing = "missing",
        Stopped = "stopped",
        Starting = "starting",
        Ready = "ready",
        Unhealthy = "unhealthy",
        Unsupported = "unsupported",
    }
}

wire! {
    /// A page.
    pub struct CanvasExtensionPage (default) {
        id: String,
        title: String,
        path: String,
    }

    /// What an extension adds.
    pub struct CanvasExtensionContributes (default) {
        pages: Vec<CanvasExtensionPage> = Vec::new(),
    }

    /// A file of a backend, for one platform.
    pub struct CanvasExtensionBackendArtifact (default) {
        path: String,
        url: Option<String> = None,
        sha256: String,
        strip_components: i64 = 0,
    }

    /// How a backend shows that it works.
    pub struct CanvasExtensionBackendHealth (default) {
        path: String = "/health".to_owned(),
        timeout_seconds: f64 = 30.0,
        interval_seconds: f64 = 0.1,
    }

    /// A backend.
    pub struct CanvasExtensionBackend (default) {
        schema_version: i64,
        artifacts: IndexMap<String, CanvasExtensionBackendArtifact>,
        argv: Vec<String>,
        health: CanvasExtensionBackendHealth = CanvasExtensionBackendHealth::default(),
        inherit_environment: Vec<String> = Vec::new(),
    }

    /// What an extension says about itself.
    pub struct CanvasExtensionManifest (default) {
        schema_version: i64,
        name: String,
        display_name: String,
        version: String,
        description: String = String::new(),
        entrypoint: String,
        contributes: CanvasExtensionContributes = CanvasExtensionContributes::default(),
        backend when some: Option<CanvasExtensionBackend> = None,
        icon when some: Option<String> = None,
    }

    /// An installed extension in the path.
    pub struct ExtensionPath (default) {
        /// Its name.
        extension_name in [min_length(1) max_length(255) pattern("^[a-z0-9]+(?:-[a-z0-9]+)*$")]: String,
    }

    /// How much of what a backend wrote.
    pub struct BackendLogsQuery (default) {
        /// The last bytes, at most.
        limit_bytes in [ge(1.0) le(262_144.0)]: i64 = 65_536,
    }

    /// An extension to install.
    pub struct InstallCanvasExtensionRequest (default) {
        source in [min_length(1)]: String,
        git_ref as "ref": Option<String> = None,
        repo_path: Option<String> = None,
        force: bool = false,
    }

    /// An installed extension.
    pub struct InstalledCanvasExtensionResponse (default) {
        name: String,
        version: String = String::new(),
        description: String = String::new(),
        enabled: bool = false,
        source: String,
        requested_ref: Option<String> = None,
        resolved_ref: Option<String> = None,
        repo_path: Option<String> = None,
        installed_at: String,
        install_path: String,
        manifest: Option<CanvasExtensionManifest> = None,
    }

    /// All installed extensions.
    pub struct InstalledCanvasExtensionsListResponse (default) {
        canvas_extensions: Vec<InstalledCanvasExtensionResponse>,
    }

    /// Turns an extension on or off.
    pub struct UpdateCanvasExtensionStateRequest (default) {
        enabled: bool,
    }

    /// Whether an extension is on.
    pub struct UpdateCanvasExtensionStateResponse (default) {
        name: String,
        enabled: bool,
    }

    /// An extension was removed.
    pub struct UninstallCanvasExtensionResponse (default) {
        message: String,
    }

    /// The revision that is meant.
    pub struct BackendRevisionRequest (default) {
        revision in [min_length(1)]: String,
    }

    /// What a backend is doing.
    pub struct BackendStatus (default) {
        name: String,
        state: BackendState,
        revision: Option<String> = None,
        prepared_revision: Option<String> = None,
        pid: Option<i64> = None,
        port: Option<i64> = None,
        detail: Option<String> = None,
    }

    /// What a backend wrote.
    pub struct BackendLogs (default) {
        name: String,
        logs: String,
        truncated: bool,
    }

    /// Access to a backend.
    pub struct AppBackendSessionResponse {
        ingress_url: String,
        expires_at: UtcTime,
        iframe_sandbox: String = "allow-forms allow-modals allow-popups allow-same-origin allow-scripts".to_owned(),
    }
}

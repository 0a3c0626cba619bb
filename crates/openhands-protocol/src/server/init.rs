//! Late configuration of a server that was started ahead of use.

use indexmap::IndexMap;

use crate::secret::Secret;
use crate::text::words;
use crate::wire::wire;

words! {
    /// How far it is.
    pub open enum InitState {
        Dormant = "dormant",
        Initializing = "initializing",
        Ready = "ready",
    }
}

words! {
    /// Where a server runs.
    pub open enum DeploymentKind {
        Local = "local",
        Remote = "remote",
    }
}

words! {
    /// Where usage reports go.
    pub open enum TelemetryExporter {
        None = "none",
        Posthog = "posthog",
        Http = "http",
    }
}

wire! {
    /// Where events are sent, and how.
    pub struct WebhookSpec (default) {
        event_buffer_size in [ge(1.0)]: i64 = 5,
        base_url: String,
        headers: IndexMap<String, String> = IndexMap::new(),
        flush_delay in [gt(0.0)]: f64 = 30.0,
        num_retries in [ge(0.0)]: i64 = 3,
        retry_delay in [ge(0.0)]: i64 = 5,
        max_queue_size in [ge(1.0)]: i64 = 1000,
        max_batch_bytes in [ge(1.0)]: i64 = 5_242_880,
        max_queue_bytes in [ge(1.0)]: i64 = 52_428_800,
    }

    /// Usage reports.
    pub struct TelemetrySpec (default) {
        deployment_kind: DeploymentKind = DeploymentKind::Local,
        exporter: TelemetryExporter = TelemetryExporter::None,
        posthog_api_key: Option<Secret> = None,
        posthog_host: String = "https://us.i.posthog.com".to_owned(),
        http_endpoint: Option<String> = None,
        http_token: Option<Secret> = None,
        salt: Option<Secret> = None,
        max_queue_size in [ge(1.0)]: i64 = 1000,
        event_buffer_size in [ge(1.0)]: i64 = 20,
        flush_delay in [gt(0.0)]: f64 = 30.0,
        num_retries in [ge(0.0)]: i64 = 2,
        retry_delay in [ge(0.0)]: f64 = 5.0,
    }

    /// What was not known when the server started.
    pub struct InitRequest (default, closed) {
        session_api_keys when some: Option<Vec<String>> = None,
        secret_key when some: Option<Secret> = None,
        previous_secret_keys when some: Option<Vec<Secret>> = None,
        conversations_path when some in [format("path")]: Option<String> = None,
        bash_events_dir when some in [format("path")]: Option<String> = None,
        conversation_worktree_root when some in [format("path")]: Option<String> = None,
        webhooks when some: Option<Vec<WebhookSpec>> = None,
        web_url when some: Option<String> = None,
        allow_cors_origins when some: Option<Vec<String>> = None,
        max_concurrent_runs when some in [ge(1.0)]: Option<i64> = None,
        env when some: Option<IndexMap<String, String>> = None,
        telemetry when some: Option<TelemetrySpec> = None,
    }

    /// How far the configuration is.
    pub struct InitStatus (default) {
        state: InitState,
        error: Option<String> = None,
    }
}

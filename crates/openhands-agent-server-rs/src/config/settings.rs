//! The table of settings: every field of the configuration file, each also a variable `OH_<NAME>`.
//!
//! The defaults stand only here, and `docs/configuration.md` is checked against it.

use crate::config::kind::{Kind, Limit, Setting, required, setting};

/// What the names of the variables begin with.
pub(crate) const PREFIX: &str = "OH";

const TEXTS: Kind = Kind::List(&Kind::Text);
const OPTIONAL_TEXT: Kind = Kind::Nullable(&Kind::Text);
const OPTIONAL_PATH: Kind = Kind::Nullable(&Kind::Path);
const OPTIONAL_SECRET: Kind = Kind::Nullable(&Kind::Secret);
const POSITIVE: Kind = Kind::Number(Limit::Positive);
const OPTIONAL_POSITIVE: Kind = Kind::Nullable(&POSITIVE);
const COUNT: Kind = Kind::Whole(1, i64::MAX);
const NOT_NEGATIVE: Kind = Kind::Whole(0, i64::MAX);

/// Every setting of the server, in the order of the reference; what only this server has comes last.
pub(crate) const SETTINGS: &[Setting] = &[
    setting(
        "session_api_keys",
        Kind::List(&Kind::Secret),
        "[]",
        "Keys that clients may show; any of them is accepted. No key: everything is open. Empty keys are dropped. Not set at all: `SESSION_API_KEY`, if that is there",
    ),
    setting(
        "allow_cors_origins",
        TEXTS,
        "[]",
        "Origins whose pages may call the server, besides `localhost`, `127.0.0.1` and `DOCKER_HOST_ADDR` with any port",
    ),
    setting(
        "allow_cors_origin_regex",
        Kind::Nullable(&Kind::Pattern),
        "null",
        "Origins that match this as a whole may call the server too",
    ),
    setting(
        "conversations_path",
        Kind::Path,
        "\"workspace/conversations\"",
        "Where conversations are kept",
    ),
    setting(
        "workspace_path",
        Kind::Path,
        "\"workspace/project\"",
        "Where conversations work that do not say where",
    ),
    setting(
        "conversation_worktree_root",
        Kind::Path,
        "\"/tmp/conversation-worktrees\"",
        "Where git worktrees of conversations are made",
    ),
    setting(
        "bash_events_dir",
        Kind::Path,
        "\"workspace/bash_events\"",
        "Where commands of the bash routes and their output are kept",
    ),
    setting(
        "bash_events_retention_seconds",
        Kind::Nullable(&COUNT),
        "null",
        "How long they are kept; null keeps them for ever",
    ),
    setting(
        "static_files_path",
        OPTIONAL_PATH,
        "null",
        "A directory that is served at `/static`; `/` then leads there",
    ),
    setting(
        "webhooks",
        Kind::List(&Kind::Object(WEBHOOK)),
        "[]",
        "Where events and conversations are reported, see [webhooks](#webhooks)",
    ),
    setting(
        "enable_vscode",
        Kind::Bool,
        "true",
        "Whether a VS Code server may be started",
    ),
    setting("vscode_port", Kind::Whole(1, 65535), "8001", "Its port"),
    setting(
        "vscode_base_path",
        OPTIONAL_TEXT,
        "null",
        "Its path behind a proxy that routes by path",
    ),
    setting(
        "preload_tools",
        Kind::Bool,
        "true",
        "Accepted for compatibility: tools are part of the program",
    ),
    setting(
        "max_concurrent_runs",
        COUNT,
        "10",
        "How many conversations may run at once; more are refused with 429",
    ),
    setting(
        "secret_key",
        OPTIONAL_SECRET,
        "null",
        "Seals secrets on disk. Blank counts as not set. Not set: `SESSION_API_KEY`, then `OH_SESSION_API_KEYS_0`; without any of them secrets of conversations do not survive a restart",
    ),
    setting(
        "previous_secret_keys",
        Kind::List(&Kind::Secret),
        "[]",
        "Earlier values of `secret_key`, which can still be read",
    ),
    setting(
        "web_url",
        OPTIONAL_TEXT,
        "null",
        "Where the server is reached from outside; its path is taken off requests",
    ),
    setting(
        "app_backend_public_url",
        OPTIONAL_TEXT,
        "null",
        "The origin of canvas app backends",
    ),
    setting(
        "trust_forwarded_headers",
        Kind::Bool,
        "false",
        "Whether `X-Forwarded-Proto` and `X-Forwarded-Host` are believed. Only behind a proxy that sets them itself",
    ),
    setting(
        "conversation_runtime",
        Kind::Word(&["local", "docker"]),
        "\"local\"",
        "Where tools run: in this process, or in a container for each conversation, see [sandbox.md](sandbox.md). Not set: `RUNTIME_ENV`",
    ),
    setting(
        "conversation_runtime_selectable",
        Kind::Bool,
        "false",
        "Whether a request may choose the runtime with its own `conversation_runtime`",
    ),
    setting(
        "conversation_image",
        Kind::Text,
        "\"openhands-agent-server-rs:latest\"",
        "The image of a conversation's container; it must have this server as its entry. Not set: `SANDBOX_RUNTIME_CONTAINER_IMAGE`",
    ),
    setting(
        "conversation_image_has_browser",
        Kind::Nullable(&Kind::Bool),
        "null",
        "Whether that image has a browser; null guesses by its name",
    ),
    setting(
        "enable_browser",
        Kind::Bool,
        "true",
        "Whether conversations may have browser tools",
    ),
    setting(
        "conversation_container_memory",
        OPTIONAL_TEXT,
        "\"4g\"",
        "Memory of a conversation's container, as `512m` or `4g`; null for no limit",
    ),
    setting(
        "conversation_container_cpus",
        OPTIONAL_POSITIVE,
        "2.0",
        "Its processors; null for no limit",
    ),
    setting(
        "conversation_container_pids_limit",
        Kind::Nullable(&COUNT),
        "512",
        "Its processes; null for no limit",
    ),
    setting(
        "conversation_container_startup_timeout",
        POSITIVE,
        "120.0",
        "Seconds that it may take to start",
    ),
    setting(
        "conversation_storage_disk_budget",
        Kind::Nullable(&Kind::Number(Limit::Fraction)),
        "null",
        "Accepted for compatibility: containers keep nothing that could be shed",
    ),
    setting(
        "conversation_storage_retention_days",
        OPTIONAL_POSITIVE,
        "null",
        "Accepted for compatibility: a container goes when its conversation leaves memory",
    ),
    setting(
        "acp_skill_sourcing",
        Kind::Word(&["native", "openhands_managed"]),
        "\"native\"",
        "Who gives an ACP agent its skills",
    ),
    setting(
        "registered_marketplaces",
        Kind::List(&Kind::Object(MARKETPLACE)),
        "[]",
        "Marketplaces of plugins and skills, see [marketplaces](#marketplaces)",
    ),
    setting(
        "deferred_init",
        Kind::Bool,
        "false",
        "Start dormant and wait for `POST /api/init`",
    ),
    setting(
        "lease_ttl_seconds",
        Kind::Number(Limit::NotNegative),
        "45.0",
        "How long a server owns a conversation without renewing; 0 takes no leases",
    ),
    setting(
        "conversation_idle_ttl_seconds",
        OPTIONAL_POSITIVE,
        "1200.0",
        "After how long a quiet conversation leaves memory; null never",
    ),
    setting(
        "telemetry",
        Kind::Object(TELEMETRY),
        "{}",
        "Accepted for compatibility, see [telemetry](#telemetry): this server sends no usage reports",
    ),
    setting(
        "max_upload_bytes",
        Kind::Nullable(&COUNT),
        "null",
        "The largest file that may be uploaded; null for any. *Ours*",
    ),
    setting(
        "allowed_upload_extensions",
        TEXTS,
        "[]",
        "Endings of names that may be uploaded, such as `.txt`; none allows all. *Ours*",
    ),
    setting(
        "event_durability",
        Kind::Word(&["background", "strict"]),
        "\"background\"",
        "When events reach the disk for certain: within 100 ms, or before anyone sees them. *Ours*",
    ),
    setting(
        "log_format",
        Kind::Nullable(&Kind::Word(&["text", "json"])),
        "null",
        "How log lines look; null follows `LOG_JSON`. *Ours*",
    ),
    setting(
        "metrics",
        Kind::Bool,
        "true",
        "Whether `GET /metrics` is served. *Ours*",
    ),
    setting(
        "otlp_endpoint",
        OPTIONAL_TEXT,
        "null",
        "Where traces are sent by OTLP over HTTP; null follows `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` and `OTEL_EXPORTER_OTLP_ENDPOINT`. *Ours*",
    ),
    setting(
        "vscode_program",
        OPTIONAL_PATH,
        "null",
        "The VS Code server to start, an `openvscode-server` or a `code-server`; null looks for one in the image and in the path. *Ours*",
    ),
    setting(
        "conversation_warm_containers",
        Kind::Whole(0, 1000),
        "0",
        "How many started containers wait for new conversations. *Ours*",
    ),
    setting(
        "conversation_container_network",
        OPTIONAL_TEXT,
        "null",
        "The Docker network of the containers. When this server runs in a container of the same network, it reaches them there by name; null publishes ports on this machine. *Ours*",
    ),
    setting(
        "conversation_container_path_map",
        Kind::Texts,
        "{}",
        "For a server in a container that uses the engine of its host: which directories of the host its own ones are, as `{\"/workspace\": \"/home/me/workspace\"}`. *Ours*",
    ),
    setting(
        "conversation_container_gpu",
        Kind::Bool,
        "false",
        "Whether containers get all GPUs. *Ours*",
    ),
    setting(
        "conversation_container_read_only",
        Kind::Bool,
        "false",
        "Whether only the workspace, `/tmp` and the home directory of a container can be written. *Ours*",
    ),
    setting(
        "conversation_container_bind",
        OPTIONAL_TEXT,
        "null",
        "The address of the engine's machine on which ports of containers are published; null takes what `DOCKER_HOST_ADDR` or the host of a remote engine stands for, else the loopback. *Ours*",
    ),
    setting(
        "conversation_image_build",
        OPTIONAL_PATH,
        "null",
        "A directory with a Dockerfile, of which the image is built if the engine does not have it; null pulls it then. *Ours*",
    ),
];

/// One of `webhooks`.
pub(crate) const WEBHOOK: &[Setting] = &[
    setting(
        "event_buffer_size",
        COUNT,
        "5",
        "How many events make a batch",
    ),
    required(
        "base_url",
        Kind::Text,
        "Events go to `{base_url}/events/{id without dashes}`, conversations to `{base_url}/conversations`",
    ),
    setting("headers", Kind::Texts, "{}", "Headers of every request"),
    setting(
        "flush_delay",
        POSITIVE,
        "30.0",
        "Seconds after the first waiting event until a batch goes out although it is not full",
    ),
    setting(
        "num_retries",
        NOT_NEGATIVE,
        "3",
        "How often a failed request is tried again",
    ),
    setting("retry_delay", NOT_NEGATIVE, "5", "Seconds between tries"),
    setting(
        "max_queue_size",
        COUNT,
        "1000",
        "How many events of a conversation may wait; then the oldest are dropped",
    ),
    setting(
        "max_batch_bytes",
        COUNT,
        "5242880",
        "How large a batch may be; a larger event goes alone",
    ),
    setting(
        "max_queue_bytes",
        COUNT,
        "52428800",
        "How many bytes of events may wait; then the oldest are dropped",
    ),
];

/// `telemetry`.
pub(crate) const TELEMETRY: &[Setting] = &[
    setting(
        "deployment_kind",
        Kind::Word(&["local", "remote"]),
        "\"local\"",
        "Where the server runs",
    ),
    setting(
        "exporter",
        Kind::Word(&["none", "posthog", "http"]),
        "\"none\"",
        "Where reports would go",
    ),
    setting(
        "posthog_api_key",
        OPTIONAL_SECRET,
        "null",
        "Key for PostHog",
    ),
    setting(
        "posthog_host",
        Kind::Text,
        "\"https://us.i.posthog.com\"",
        "Host of PostHog",
    ),
    setting("http_endpoint", OPTIONAL_TEXT, "null", "Address for `http`"),
    setting("http_token", OPTIONAL_SECRET, "null", "Token for `http`"),
    setting("salt", OPTIONAL_SECRET, "null", "Key for pseudonyms"),
    setting("max_queue_size", COUNT, "1000", "How many reports may wait"),
    setting("event_buffer_size", COUNT, "20", "How many make a batch"),
    setting(
        "flush_delay",
        POSITIVE,
        "30.0",
        "Seconds until a batch goes out although it is not full",
    ),
    setting(
        "num_retries",
        NOT_NEGATIVE,
        "2",
        "How often a failed request is tried again",
    ),
    setting(
        "retry_delay",
        Kind::Number(Limit::NotNegative),
        "5.0",
        "Seconds between tries",
    ),
];

/// One of `registered_marketplaces`.
pub(crate) const MARKETPLACE: &[Setting] = &[
    required("name", Kind::Text, "How it is called"),
    required(
        "source",
        Kind::Text,
        "`github:owner/repo`, a git address or a path",
    ),
    setting("ref", OPTIONAL_TEXT, "null", "Branch, tag or commit"),
    setting(
        "repo_path",
        OPTIONAL_TEXT,
        "null",
        "Directory inside the repository",
    ),
    setting(
        "auto_load",
        Kind::Choice,
        "false",
        "Whether all of its plugins and skills are loaded, or which",
    ),
];

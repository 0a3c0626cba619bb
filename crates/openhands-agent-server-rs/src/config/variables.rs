//! The table of variables that are no setting of the file: of the process, of logs, of other programs' making.

use openhands_sdk_rs::tools::browser::variables as browser;

/// A variable besides `OH_<SETTING>`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Variable {
    /// Its name.
    pub(crate) name: &'static str,
    /// What values it takes, in words.
    pub(crate) kind: &'static str,
    /// What counts when it is not set.
    pub(crate) default: &'static str,
    /// What it is for, in Markdown.
    pub(crate) meaning: &'static str,
}

const fn variable(
    name: &'static str,
    kind: &'static str,
    default: &'static str,
    meaning: &'static str,
) -> Variable {
    Variable {
        name,
        kind,
        default,
        meaning,
    }
}

pub(crate) const CONFIG_PATH: &str = "OPENHANDS_AGENT_SERVER_CONFIG_PATH";
pub(crate) const DEFAULT_CONFIG_PATH: &str = "workspace/openhands_agent_server_config.json";
pub(crate) const SESSION_KEY: &str = "SESSION_API_KEY";
pub(crate) const FIRST_SESSION_KEY: &str = "OH_SESSION_API_KEYS_0";
pub(crate) const INTERNAL_URL: &str = "OH_INTERNAL_SERVER_URL";
pub(crate) const DOCKER_HOST: &str = "DOCKER_HOST_ADDR";
pub(crate) const DOCKER_ENGINE: &str = "DOCKER_HOST";
pub(crate) const RUNTIME_ENV: &str = "RUNTIME_ENV";
pub(crate) const SANDBOX_IMAGE: &str = "SANDBOX_RUNTIME_CONTAINER_IMAGE";
pub(crate) const PERSISTENCE_DIR: &str = "OH_PERSISTENCE_DIR";
pub(crate) const EXTENSIONS_PATH: &str = "EXTENSIONS_PATH";
pub(crate) const EXTRA_PYTHON_PATH: &str = "OH_EXTRA_PYTHON_PATH";
pub(crate) const IDLE_TIMEOUT: &str = "OH_RUNTIME_IDLE_TIMEOUT_SECONDS";
pub(crate) const LAUNCHED_PROFILE: &str = "OH_RUNTIME_LAUNCHED_PROFILE";
pub(crate) const BUILD_SHA: &str = "OPENHANDS_BUILD_GIT_SHA";
pub(crate) const BUILD_REF: &str = "OPENHANDS_BUILD_GIT_REF";
pub(crate) const DEBUG: &str = "DEBUG";
pub(crate) const LOG_LEVEL: &str = "LOG_LEVEL";
pub(crate) const LOG_JSON: &str = "LOG_JSON";
pub(crate) const LOG_TO_FILE: &str = "LOG_TO_FILE";
pub(crate) const LOG_DIR: &str = "LOG_DIR";
pub(crate) const LOG_BACKUP_COUNT: &str = "LOG_BACKUP_COUNT";
pub(crate) const OTLP_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
pub(crate) const OTLP_TRACES_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
pub(crate) const OTLP_HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
pub(crate) const OTLP_TRACES_HEADERS: &str = "OTEL_EXPORTER_OTLP_TRACES_HEADERS";
pub(crate) const OTEL_SERVICE_NAME: &str = "OTEL_SERVICE_NAME";

/// All of them, in the order of the document.
pub(crate) const VARIABLES: &[Variable] = &[
    variable(
        CONFIG_PATH,
        "path",
        DEFAULT_CONFIG_PATH,
        "The configuration file; `--config` is stronger. A missing file is fine",
    ),
    variable(
        SESSION_KEY,
        "text",
        "",
        "The one session key of older set-ups; counts when `session_api_keys` is not set. Also the secret key, if there is none",
    ),
    variable(
        PERSISTENCE_DIR,
        "path",
        "`~/.openhands`",
        "Where settings, secrets and profiles are kept",
    ),
    variable(
        EXTENSIONS_PATH,
        "path",
        "",
        "A copy of the public skills, in place of a git checkout",
    ),
    variable(
        DOCKER_HOST,
        "host",
        "",
        "A further host whose pages may call the server; also where the published ports of containers are reached, if that is not this machine",
    ),
    variable(
        RUNTIME_ENV,
        "`local` or `docker`",
        "",
        "Where tools run; counts when `conversation_runtime` is not set",
    ),
    variable(
        SANDBOX_IMAGE,
        "image",
        "",
        "The image of a conversation's container; counts when `conversation_image` is not set",
    ),
    variable(
        DOCKER_ENGINE,
        "address",
        "the usual sockets of Docker and Podman",
        "The engine that runs the containers of conversations, as `unix:///var/run/docker.sock` or `tcp://host:2375`",
    ),
    variable(
        IDLE_TIMEOUT,
        "seconds",
        "",
        "After how long the sandbox is stopped when it is idle; told in `/server_info`",
    ),
    variable(
        LAUNCHED_PROFILE,
        "JSON",
        "",
        "The agent profile that this server was started for",
    ),
    variable(
        BUILD_SHA,
        "text",
        "`unknown`",
        "The commit that `/server_info` names",
    ),
    variable(
        BUILD_REF,
        "text",
        "`unknown`",
        "The branch or tag that `/server_info` names",
    ),
    variable(
        "LLM_API_KEY",
        "text",
        "",
        "The key of models that have none of their own; after it comes the provider's usual variable, such as `OPENAI_API_KEY`. Never stored and never shown",
    ),
    variable(
        browser::EXECUTABLE,
        "path",
        "",
        "The program of the browser; `--browser-executable` is stronger. Without it the usual names are looked for on the path and where Playwright installs. *Ours*",
    ),
    variable(
        browser::VIEWPORT,
        "`WIDTHxHEIGHT`",
        "`1280x720`",
        "The visible part of a page in pixels. Parameters of the tool are stronger, here and below. *Ours*",
    ),
    variable(
        browser::USER_AGENT,
        "text",
        "Chromium's own",
        "What the browser calls itself. *Ours*",
    ),
    variable(
        browser::PROXY,
        "address",
        "",
        "The proxy of the browser, as Chromium's `--proxy-server` takes it. *Ours*",
    ),
    variable(
        browser::PROXY_BYPASS,
        "hosts",
        "",
        "What is reached without it, as Chromium's `--proxy-bypass-list` takes it. *Ours*",
    ),
    variable(
        browser::PERMISSIONS,
        "names with commas",
        "",
        "What every page may do without asking, by Chromium's names: `geolocation,clipboardReadWrite`. *Ours*",
    ),
    variable(
        browser::MAX_MEMORY,
        "whole number",
        "4096",
        "Megabytes of all the browser's processes above which its largest page is ended; 0 for no limit. *Ours*",
    ),
    variable(DEBUG, "`1`, `true`, `yes`", "false", "Logs at level debug"),
    variable(
        LOG_LEVEL,
        "level or filter",
        "`INFO`",
        "What is logged: a Python or Rust level name, or a filter such as `info,openhands_llm=debug`",
    ),
    variable(
        LOG_JSON,
        "`1`, `true`, `yes`",
        "false",
        "One JSON object a line in place of text",
    ),
    variable(
        LOG_TO_FILE,
        "`1`, `true`, `yes`",
        "false",
        "Log to a file too",
    ),
    variable(
        LOG_DIR,
        "path",
        "`logs`",
        "Where that file is; a new one each day",
    ),
    variable(
        LOG_BACKUP_COUNT,
        "whole number",
        "7",
        "How many files of earlier days are kept",
    ),
    variable(
        OTLP_ENDPOINT,
        "address",
        "",
        "Where traces are sent; `/v1/traces` is added",
    ),
    variable(
        OTLP_TRACES_ENDPOINT,
        "address",
        "",
        "The same for traces alone, used as it is",
    ),
    variable(
        OTLP_HEADERS,
        "`a=b,c=d`",
        "",
        "Headers for the receiver of traces; no command sees it",
    ),
    variable(
        OTLP_TRACES_HEADERS,
        "`a=b,c=d`",
        "",
        "The same for traces alone, added to the others",
    ),
    variable(
        OTEL_SERVICE_NAME,
        "text",
        "`openhands-agent-server`",
        "The name of this service in traces",
    ),
    variable(
        EXTRA_PYTHON_PATH,
        "paths",
        "",
        "Accepted with a warning: Python modules cannot be imported",
    ),
    variable(
        "TMUX_TMPDIR",
        "path",
        "",
        "Not used: the terminal needs no tmux; passed on to commands",
    ),
    variable(
        "OPENHANDS_SUPPRESS_BANNER",
        "`1`",
        "",
        "Not used: there is no banner",
    ),
    variable(
        INTERNAL_URL,
        "address",
        "made by the server",
        "Where commands and tools reach this server; set for them, not read",
    ),
    variable(
        FIRST_SESSION_KEY,
        "text",
        "made by the server",
        "Besides being a setting: set for what the server starts to its first session key",
    ),
    variable("HOME", "path", "", "Where `~` is"),
];

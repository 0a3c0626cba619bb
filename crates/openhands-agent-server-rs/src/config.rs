//! The configuration: a JSON file, with variables of the environment on top of it.
//!
//! ```text
//! file (--config, OPENHANDS_AGENT_SERVER_CONFIG_PATH)  ─┐
//! OH_* variables  ── env ──► tree ── overlaid on ───────┴─► check ─► complete (defaults) ─► Config
//! ```

mod check;
mod document;
mod env;
mod environment;
mod error;
mod init;
mod kind;
mod settings;
mod surroundings;
mod tree;
pub(crate) mod variables;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use openhands_protocol::Secret;
use openhands_protocol::server::{RuntimeKind, TelemetrySpec, WebhookSpec};
use openhands_protocol::skills::MarketplaceRegistration;
use openhands_sdk_rs::secrets::Cipher;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

pub use document::list_variables;
pub use environment::Environment;
pub use error::ConfigError;
pub use surroundings::Surroundings;

use check::{check, complete};
use env::FromVariables;
use kind::Kind;
use settings::{PREFIX, SETTINGS};
use tree::{Nulls, Tree, overlay};
use variables::{
    CONFIG_PATH, DEFAULT_CONFIG_PATH, FIRST_SESSION_KEY, INTERNAL_URL, PERSISTENCE_DIR,
    RUNTIME_ENV, SANDBOX_IMAGE, SESSION_KEY,
};

/// When events reach the disk for certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventDurability {
    /// Within 100 ms.
    Background,
    /// Before anyone sees them.
    Strict,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Where a configuration comes from.
#[derive(Debug, Clone)]
pub struct Sources {
    /// The variables.
    pub environment: Environment,
    /// Where relative paths start.
    pub directory: PathBuf,
    /// The file that the command line names.
    pub file: Option<PathBuf>,
}

impl Sources {
    /// No variables, and the file at its usual place below a directory.
    pub fn of_directory(directory: impl Into<PathBuf>) -> Self {
        Self {
            environment: Environment::default(),
            directory: directory.into(),
            file: None,
        }
    }
}

/// How the server is set up. The table in `config/settings.rs` says what each field means and its default.
#[derive(Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the table of settings documents the fields")]
pub struct Config {
    pub session_api_keys: Vec<String>,
    pub allow_cors_origins: Vec<String>,
    pub allow_cors_origin_regex: Option<String>,
    pub conversations_path: PathBuf,
    pub workspace_path: PathBuf,
    pub conversation_worktree_root: PathBuf,
    pub bash_events_dir: PathBuf,
    pub bash_events_retention_seconds: Option<u64>,
    pub static_files_path: Option<PathBuf>,
    pub webhooks: Vec<WebhookSpec>,
    pub enable_vscode: bool,
    pub vscode_port: u16,
    pub vscode_base_path: Option<String>,
    pub preload_tools: bool,
    pub max_concurrent_runs: usize,
    pub secret_key: Option<String>,
    pub previous_secret_keys: Vec<String>,
    pub web_url: Option<String>,
    pub app_backend_public_url: Option<String>,
    pub trust_forwarded_headers: bool,
    pub conversation_runtime: RuntimeKind,
    pub conversation_runtime_selectable: bool,
    pub conversation_image: String,
    pub conversation_image_has_browser: Option<bool>,
    pub enable_browser: bool,
    pub conversation_container_memory: Option<String>,
    pub conversation_container_cpus: Option<f64>,
    pub conversation_container_pids_limit: Option<u64>,
    pub conversation_container_startup_timeout: f64,
    pub conversation_storage_disk_budget: Option<f64>,
    pub conversation_storage_retention_days: Option<f64>,
    pub acp_skill_sourcing: String,
    pub registered_marketplaces: Vec<MarketplaceRegistration>,
    pub deferred_init: bool,
    /// Zero takes no leases.
    #[serde(rename = "lease_ttl_seconds", deserialize_with = "seconds")]
    pub lease_ttl: Duration,
    /// None keeps conversations in memory.
    #[serde(
        rename = "conversation_idle_ttl_seconds",
        deserialize_with = "maybe_seconds"
    )]
    pub conversation_idle_ttl: Option<Duration>,
    pub telemetry: TelemetrySpec,
    pub max_upload_bytes: Option<u64>,
    pub allowed_upload_extensions: Vec<String>,
    pub event_durability: EventDurability,
    pub log_format: Option<LogFormat>,
    pub metrics: bool,
    pub otlp_endpoint: Option<String>,
    pub vscode_program: Option<PathBuf>,
    pub conversation_warm_containers: usize,
    pub conversation_container_network: Option<String>,
    pub conversation_container_path_map: BTreeMap<PathBuf, PathBuf>,
    pub conversation_container_gpu: bool,
    pub conversation_container_read_only: bool,
    pub conversation_container_bind: Option<String>,
    pub conversation_image_build: Option<PathBuf>,
    /// Whether a blank secret key was given, and no other took its place.
    #[serde(skip)]
    pub secret_key_was_blank: bool,
    /// Whether the server was set up by `POST /api/init`.
    #[serde(skip)]
    pub was_deferred: bool,
    /// Where settings, secrets and profiles of the user are kept.
    #[serde(skip)]
    pub persistence_dir: PathBuf,
    /// The environment of what the server starts. Commands of tools get it without the keys in it.
    #[serde(skip)]
    pub env: Vec<(String, String)>,
    /// What other variables say.
    #[serde(skip)]
    pub surroundings: Surroundings,
    /// What was passed over, for the log.
    #[serde(skip)]
    pub warnings: Vec<String>,
}

impl Config {
    /// Reads the file and the variables. The error names the variable, or the file and the setting.
    pub fn load(sources: &Sources) -> Result<Self, ConfigError> {
        let (value, is_blank, mut warnings) = settings_of(sources)?;
        let environment = &sources.environment;
        let mut config = Self::from_settings(value)?;
        config.secret_key_was_blank = is_blank;
        config.env = environment.to_vec();
        config.surroundings = Surroundings::read(environment, &sources.directory, &mut warnings);
        config.resolve_paths(environment, &sources.directory);
        config.warnings = warnings;
        Ok(config)
    }

    /// The defaults, with what the variables say about the server's surroundings: for servers that have no settings of their own.
    pub fn of_environment(environment: &Environment, directory: &Path) -> Self {
        let mut warnings = Vec::new();
        Self {
            surroundings: Surroundings::read(environment, directory, &mut warnings),
            warnings,
            ..Self::default()
        }
    }

    /// All settings, complete and checked.
    fn from_settings(value: Value) -> Result<Self, ConfigError> {
        serde_json::from_value(value)
            .map_err(|error| ConfigError::new("configuration", &error.to_string()))
    }

    /// What seals secrets on disk, if there is a key.
    pub fn cipher(&self) -> Option<Cipher> {
        let secret = |key: &String| Secret::new(key.clone());
        let previous: Vec<_> = self.previous_secret_keys.iter().map(secret).collect();
        Cipher::new(&self.secret_key.as_ref().map(secret)?, &previous)
    }

    /// Whether clients must show a key.
    pub fn needs_key(&self) -> bool {
        !self.session_api_keys.is_empty()
    }

    /// The key that this server shows where it calls others on behalf of its user.
    pub fn first_session_key(&self) -> Option<&str> {
        self.session_api_keys.first().map(String::as_str)
    }

    /// How log lines look.
    pub fn log_format(&self) -> LogFormat {
        let wanted = if self.surroundings.log_json {
            LogFormat::Json
        } else {
            LogFormat::Text
        };
        self.log_format.unwrap_or(wanted)
    }

    /// Where traces are sent, as a whole address.
    pub fn otlp_traces_endpoint(&self) -> Option<&str> {
        self.otlp_endpoint
            .as_deref()
            .or(self.surroundings.otlp_traces_endpoint.as_deref())
    }

    /// Sets a variable for what the server starts from now on.
    pub(crate) fn set_env(&mut self, name: &str, value: &str) {
        match self.env.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => value.clone_into(known),
            None => self.env.push((name.to_owned(), value.to_owned())),
        }
    }

    /// Where this server is reached from this machine, once that is known.
    pub(crate) fn internal_url(&self) -> Option<&str> {
        let found = self.env.iter().find(|(name, _)| name == INTERNAL_URL)?;
        Some(&found.1)
    }

    /// Tells what the server starts where to reach it, and with which key.
    pub(crate) fn announce(&mut self, url: &str) {
        self.set_env(INTERNAL_URL, url);
        if let Some(key) = self.session_api_keys.first().cloned() {
            self.set_env(FIRST_SESSION_KEY, &key);
        }
    }

    /// Whether webhooks that came in a request keep to their limits.
    pub(crate) fn check_webhooks(webhooks: &[WebhookSpec]) -> Result<(), ConfigError> {
        for (index, webhook) in webhooks.iter().enumerate() {
            let place = format!("webhooks[{index}]");
            let value = serde_json::to_value(webhook)
                .map_err(|error| ConfigError::new(&place, &error.to_string()))?;
            check(&mut value.into(), Kind::Object(settings::WEBHOOK), &place)?;
        }
        Ok(())
    }

    fn resolve_paths(&mut self, environment: &Environment, directory: &Path) {
        for path in [
            &mut self.conversations_path,
            &mut self.workspace_path,
            &mut self.conversation_worktree_root,
            &mut self.bash_events_dir,
        ] {
            *path = directory.join(&*path);
        }
        if let Some(path) = &mut self.static_files_path {
            *path = directory.join(&*path);
        }
        self.persistence_dir = directory.join(match environment.given(PERSISTENCE_DIR) {
            Some(path) => PathBuf::from(path),
            None => Path::new(environment.given("HOME").unwrap_or_default()).join(".openhands"),
        });
    }
}

impl Default for Config {
    /// The defaults of all settings, without file and variables; paths are relative.
    #[allow(
        clippy::expect_used,
        reason = "the table's defaults fit its own types; the tests load them"
    )]
    fn default() -> Self {
        let mut value = Value::Object(serde_json::Map::new());
        complete(&mut value, Kind::Object(SETTINGS), "", &mut Vec::new())
            .and_then(|()| Self::from_settings(value))
            .map(|mut config| {
                config.resolve_paths(&Environment::default(), Path::new(""));
                config
            })
            .expect("the defaults are valid")
    }
}

/// Only what is no secret.
impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Config")
            .field("keys", &self.session_api_keys.len())
            .field("conversations_path", &self.conversations_path)
            .field("persistence_dir", &self.persistence_dir)
            .field("deferred_init", &self.deferred_init)
            .finish_non_exhaustive()
    }
}

fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    f64::deserialize(deserializer).map(duration)
}

fn maybe_seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    Option::<f64>::deserialize(deserializer).map(|seconds| seconds.map(duration))
}

/// A time that is too long to be counted is the longest that can be.
fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// All settings as JSON, whether a blank secret key was given, and what was passed over.
fn settings_of(sources: &Sources) -> Result<(Value, bool, Vec<String>), ConfigError> {
    let environment = &sources.environment;
    let mut reader = FromVariables::new(environment);
    let given = reader.read(PREFIX, Kind::Object(SETTINGS))?;
    let mut warnings = reader.warnings;

    let path = sources.directory.join(match &sources.file {
        Some(path) => path.as_path(),
        None => Path::new(environment.get(CONFIG_PATH).unwrap_or(DEFAULT_CONFIG_PATH)),
    });
    let name = path.display().to_string();
    let file = read_file(&path, sources.file.is_some())?;
    let mut tree = overlay(file, given, Nulls::Win).unwrap_or_else(|| Tree::Object(Vec::new()));
    // Variables were checked where they were read: what does not fit now comes from the file.
    check(&mut tree, Kind::Object(SETTINGS), &name)?;
    let mut value = tree.into_value(&name)?;

    let is_blank = settle_keys(&mut value, environment);
    warnings.extend(settle_runtime(&mut value, environment));
    let mut unknown = Vec::new();
    complete(&mut value, Kind::Object(SETTINGS), "", &mut unknown)?;
    warnings.extend(
        unknown
            .iter()
            .map(|setting| format!("{setting} is ignored: there is no such setting")),
    );
    Ok((value, is_blank, warnings))
}

/// The settings in the file; none if there is no file, unless it was asked for.
fn read_file(path: &Path, must_exist: bool) -> Result<Option<Tree>, ConfigError> {
    let name = path.display().to_string();
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !must_exist => {
            return Ok(None);
        }
        Err(error) => return Err(ConfigError::new(&name, &error.to_string())),
    };
    match serde_json::from_slice(&text) {
        Ok(object @ Value::Object(_)) => Ok(Some(object.into())),
        Ok(_) => Err(ConfigError::new(&name, "must contain a JSON object")),
        Err(error) => Err(ConfigError::new(&name, &format!("is not JSON: {error}"))),
    }
}

/// Puts in keys that come from older variables and drops empty ones. Tells whether a blank secret key was given.
fn settle_keys(value: &mut Value, environment: &Environment) -> bool {
    let Some(members) = value.as_object_mut() else {
        return false;
    };
    if !members.contains_key("session_api_keys")
        && let Some(key) = environment.given(SESSION_KEY)
    {
        members.insert("session_api_keys".to_owned(), vec![key].into());
    }
    let blank = members
        .get("secret_key")
        .and_then(Value::as_str)
        .is_some_and(|key| key.trim().is_empty());
    if blank || !members.contains_key("secret_key") {
        let fallback = environment
            .given(SESSION_KEY)
            .or_else(|| environment.given(FIRST_SESSION_KEY));
        members.insert("secret_key".to_owned(), fallback.into());
    }
    for name in ["session_api_keys", "previous_secret_keys"] {
        if let Some(keys) = members.get_mut(name).and_then(Value::as_array_mut) {
            keys.retain(|key| key != "");
        }
    }
    blank
}

/// Puts in what variables of older set-ups say about the place where tools run. Gives what is to be warned of.
fn settle_runtime(value: &mut Value, environment: &Environment) -> Option<String> {
    let members = value.as_object_mut()?;
    if !members.contains_key("conversation_image")
        && let Some(image) = environment.given(SANDBOX_IMAGE)
    {
        members.insert("conversation_image".to_owned(), image.into());
    }
    if members.contains_key("conversation_runtime") {
        return None;
    }
    match environment.given(RUNTIME_ENV)? {
        kind @ ("local" | "docker") => {
            members.insert("conversation_runtime".to_owned(), kind.into());
            None
        }
        other => Some(format!(
            "{RUNTIME_ENV} is ignored: expected one of local, docker, found {other:?}"
        )),
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;

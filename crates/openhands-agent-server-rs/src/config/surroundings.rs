//! What variables besides the settings say: logs, the build, traces, where the user's files are.

use std::path::{Path, PathBuf};

use openhands_protocol::Secret;

use crate::config::environment::Environment;
use crate::config::variables;

/// The part of a terminal command's time that the sandbox's idle time allows.
const FOREGROUND_RATIO: f64 = 0.9;
const DEFAULT_LOG_FILES: usize = 7;

/// What the server finds around it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Surroundings {
    /// Where relative paths start.
    pub directory: PathBuf,
    /// Whether the directory of the user's files was named, and is not the default.
    pub persistence_dir_is_given: bool,
    /// A copy of the public skills.
    pub extensions_path: Option<PathBuf>,
    /// A further host whose pages may call the server.
    pub docker_host: Option<String>,
    /// After how long the sandbox is stopped when it is idle.
    pub runtime_idle_timeout_seconds: Option<f64>,
    /// The agent profile that the server was started for, as JSON.
    pub launched_profile: Option<String>,
    /// The commit of the build.
    pub build_git_sha: String,
    /// The branch or tag of the build.
    pub build_git_ref: String,
    /// What is logged, as a filter.
    pub log_filter: String,
    /// Whether `LOG_JSON` asks for JSON.
    pub log_json: bool,
    /// Where log files are written, if they are.
    pub log_dir: Option<PathBuf>,
    /// How many log files are kept.
    pub log_files: usize,
    /// Where traces are sent, as a whole address.
    pub otlp_traces_endpoint: Option<String>,
    /// Headers for the receiver of traces.
    pub otlp_headers: Vec<(String, Secret)>,
    /// The name of this service in traces.
    pub service_name: String,
}

impl Surroundings {
    /// Reads the variables; what cannot be used is told in `warnings`.
    pub(crate) fn read(
        environment: &Environment,
        directory: &Path,
        warnings: &mut Vec<String>,
    ) -> Self {
        let given = |name: &str| environment.given(name).map(str::to_owned);
        let path = |name: &str| given(name).map(|path| directory.join(path));
        if given(variables::EXTRA_PYTHON_PATH).is_some() {
            warnings.push(format!(
                "{} is ignored: Python modules cannot be imported here",
                variables::EXTRA_PYTHON_PATH
            ));
        }
        Self {
            directory: directory.to_owned(),
            persistence_dir_is_given: given(variables::PERSISTENCE_DIR).is_some(),
            extensions_path: path(variables::EXTENSIONS_PATH),
            docker_host: given(variables::DOCKER_HOST),
            runtime_idle_timeout_seconds: given(variables::IDLE_TIMEOUT)
                .and_then(|text| text.trim().parse::<f64>().ok())
                .filter(|seconds| seconds.is_finite() && *seconds > 0.0),
            launched_profile: given(variables::LAUNCHED_PROFILE),
            build_git_sha: given(variables::BUILD_SHA).unwrap_or_else(|| "unknown".to_owned()),
            build_git_ref: given(variables::BUILD_REF).unwrap_or_else(|| "unknown".to_owned()),
            log_filter: log_filter(environment, warnings),
            log_json: environment.says_yes(variables::LOG_JSON),
            log_dir: environment
                .says_yes(variables::LOG_TO_FILE)
                .then(|| directory.join(environment.given(variables::LOG_DIR).unwrap_or("logs"))),
            log_files: given(variables::LOG_BACKUP_COUNT)
                .and_then(|text| text.trim().parse().ok())
                .unwrap_or(DEFAULT_LOG_FILES),
            otlp_traces_endpoint: given(variables::OTLP_TRACES_ENDPOINT).or_else(|| {
                given(variables::OTLP_ENDPOINT)
                    .map(|base| format!("{}/v1/traces", base.trim_end_matches('/')))
            }),
            otlp_headers: [variables::OTLP_HEADERS, variables::OTLP_TRACES_HEADERS]
                .into_iter()
                .filter_map(given)
                .flat_map(|text| headers(&text))
                .collect(),
            service_name: given(variables::OTEL_SERVICE_NAME)
                .unwrap_or_else(|| "openhands-agent-server".to_owned()),
        }
    }

    /// The longest time that a terminal command may take in the foreground.
    pub fn max_foreground_timeout_seconds(&self) -> Option<f64> {
        self.runtime_idle_timeout_seconds
            .map(|seconds| seconds * FOREGROUND_RATIO)
    }
}

/// `a=b,c=d`, as the standard of the variable has it.
fn headers(text: &str) -> Vec<(String, Secret)> {
    text.split(',')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (name.trim().to_owned(), Secret::new(value.trim())))
        .filter(|(name, _)| !name.is_empty())
        .collect()
}

/// The filter that `LOG_LEVEL` and `DEBUG` ask for.
fn log_filter(environment: &Environment, warnings: &mut Vec<String>) -> String {
    if environment.says_yes(variables::DEBUG) {
        return "debug".to_owned();
    }
    let Some(level) = environment.given(variables::LOG_LEVEL) else {
        return "info".to_owned();
    };
    match level.trim().to_uppercase().as_str() {
        "NOTSET" | "TRACE" => "trace".to_owned(),
        "DEBUG" => "debug".to_owned(),
        "INFO" => "info".to_owned(),
        "WARN" | "WARNING" => "warn".to_owned(),
        "ERROR" | "CRITICAL" | "FATAL" => "error".to_owned(),
        "OFF" => "off".to_owned(),
        _ if level.contains(['=', ','])
            && tracing_subscriber::EnvFilter::try_new(level).is_ok() =>
        {
            level.to_owned()
        }
        _ => {
            warnings.push(format!(
                "{} is ignored: {level:?} is neither a level nor a filter",
                variables::LOG_LEVEL
            ));
            "info".to_owned()
        }
    }
}

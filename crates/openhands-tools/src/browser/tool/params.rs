//! The parameters of a `browser_tool_set`.

use crate::browser::variables::{executable, memory_of, viewport_of};
use crate::browser::{BrowserError, BrowserSettings, find};
use crate::registry::{CreateError, Machine};
use openhands_process::{Environment, command_environment};
use openhands_protocol::JsonObject;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// The name under which the tools are asked for.
pub const NAME: &str = "browser_tool_set";
const ACTION_TIMEOUT: Duration = Duration::from_mins(5);
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// How much lower than the server's own the priority of the browser is, as that of commands.
const NICE: i32 = 10;

/// What the executor is made of.
#[derive(Debug)]
pub(super) struct Params {
    pub(super) browser: BrowserSettings,
    pub(super) action_timeout: Duration,
    /// Scripts that run in every document before its own.
    pub(super) scripts: Vec<String>,
    /// Where pictures and texts that are cut are kept.
    pub(super) save_dir: Option<PathBuf>,
    /// Where recordings go.
    pub(super) recordings: PathBuf,
}

/// Whether a browser can be started with this environment.
pub fn is_usable(environment: impl IntoIterator<Item = (String, String)>) -> bool {
    let environment = environment_of(environment);
    find(executable(&environment).as_deref(), &environment).is_ok()
}

fn environment_of(server: impl IntoIterator<Item = (String, String)>) -> Environment {
    command_environment(
        server
            .into_iter()
            .map(|(name, value)| (name.into(), value.into())),
    )
}

impl Params {
    /// Reads the parameters of a spec, and looks for a browser.
    pub(super) fn new(machine: &Machine, params: &JsonObject) -> Result<Self, CreateError> {
        let given = Given(params);
        let environment = environment_of(machine.env.clone());
        let unusable = |error: BrowserError| CreateError::Unusable(error.to_string());
        let directory = &machine.place.working_dir;
        let mut browser = BrowserSettings::new(directory, environment);
        browser.take_variables().map_err(unusable)?;
        if let Some(named) = given.text("executable")? {
            browser.executable = Some(PathBuf::from(named));
        }
        let program = find(browser.executable.as_deref(), &browser.environment);
        browser.executable = Some(program.map_err(unusable)?);
        browser.nice = if machine.keep_priority { 0 } else { NICE };
        browser.start_timeout = given.seconds("init_timeout_seconds", START_TIMEOUT)?;
        browser.user_agent = given.text("user_agent")?.or(browser.user_agent);
        browser.proxy = given.text("proxy")?.or(browser.proxy);
        browser.proxy_bypass = given.text("proxy_bypass")?.or(browser.proxy_bypass);
        if given.get("permissions").is_some() {
            browser.permissions = given.texts("permissions")?;
        }
        if let Some(limit) = given.megabytes("max_memory_mb")? {
            browser.max_memory = memory_of(limit);
        }
        if let Some(viewport) = given.viewport()? {
            browser.viewport = viewport;
        }
        given.refuse_unkept()?;
        Ok(Self {
            browser,
            action_timeout: given.seconds("action_timeout_seconds", ACTION_TIMEOUT)?,
            scripts: given.texts("inject_scripts")?,
            save_dir: machine
                .place
                .persistence_dir
                .as_ref()
                .map(|directory| directory.join("observations")),
            recordings: directory.join(".agent_tmp").join("browser_observations"),
        })
    }
}

struct Given<'a>(&'a JsonObject);

impl Given<'_> {
    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn bad(name: &str, problem: impl Into<String>) -> CreateError {
        CreateError::BadParameter {
            tool: NAME.to_owned(),
            parameter: name.to_owned(),
            problem: problem.into(),
        }
    }

    fn text(&self, name: &str) -> Result<Option<String>, CreateError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(Self::bad(name, format!("a string is wanted, not {other}"))),
        }
    }

    fn texts(&self, name: &str) -> Result<Vec<String>, CreateError> {
        let Some(value) = self.get(name) else {
            return Ok(Vec::new());
        };
        serde_json::from_value(value.clone())
            .map_err(|_| Self::bad(name, format!("a list of strings is wanted, not {value}")))
    }

    fn seconds(&self, name: &str, default: Duration) -> Result<Duration, CreateError> {
        let Some(value) = self.get(name) else {
            return Ok(default);
        };
        value
            .as_f64()
            .filter(|seconds| *seconds > 0.0)
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .ok_or_else(|| Self::bad(name, format!("it must be greater than 0, not {value}")))
    }

    /// A number of megabytes; 0 means that there is no limit.
    fn megabytes(&self, name: &str) -> Result<Option<u64>, CreateError> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let wanted = || format!("a whole number of megabytes is wanted, not {value}");
        let megabytes = value.as_u64().ok_or_else(|| Self::bad(name, wanted()))?;
        Ok(Some(megabytes))
    }

    fn viewport(&self) -> Result<Option<(u32, u32)>, CreateError> {
        let Some(value) = self.get("viewport") else {
            return Ok(None);
        };
        let side = |name: &str| value.get(name)?.as_u64();
        let both = side("width").zip(side("height"));
        let both = both.and_then(|(width, height)| viewport_of(width, height));
        both.map(Some).ok_or_else(|| {
            Self::bad(
                "viewport",
                format!("a width and a height in pixels are wanted, not {value}"),
            )
        })
    }

    /// What would be a promise that is not kept is refused rather than forgotten.
    fn refuse_unkept(&self) -> Result<(), CreateError> {
        if self.get("headless") == Some(&Value::Bool(false)) {
            return Err(Self::bad("headless", "this browser has no window"));
        }
        let domains = self.get("allowed_domains").and_then(Value::as_array);
        if domains.is_some_and(|domains| !domains.is_empty()) {
            return Err(Self::bad(
                "allowed_domains",
                "this browser does not limit where pages lead; use a proxy that does",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "params_tests.rs"]
mod tests;

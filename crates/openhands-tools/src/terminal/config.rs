//! How a terminal is set up: the machine it is on, and the parameters of its spec.

use super::NAME;
use crate::pool::Pool;
use crate::registry::{CreateError, Machine};
use openhands_process::{Account, Environment, ShellConfig, is_variable_name, shell_environment};
use openhands_protocol::JsonObject;
use serde_json::Value;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Silence after which a running command is handed back.
const NO_CHANGE_TIMEOUT: Duration = Duration::from_secs(30);
/// How much lower than the server's own the priority of commands is, so that a busy command cannot starve it.
const NICE: i32 = 10;

/// Most terminals have the same one.
static ENVIRONMENTS: Pool<Environment> = Pool::empty();

/// Everything that a terminal needs to know.
#[derive(Debug, Clone)]
pub struct TerminalConfig {
    /// How the shell is started. All that start it share this.
    pub shell: Arc<ShellConfig>,
    /// Silence after which a running command is handed back.
    pub no_change_timeout: Duration,
    /// Seconds without activity after which the host stops this machine, if it does.
    pub idle_timeout: Option<f64>,
    /// Where outputs that are cut are kept whole.
    pub save_dir: Option<PathBuf>,
    /// Name of the account that commands run as.
    pub username: Option<String>,
}

impl TerminalConfig {
    /// Reads the parameters of a spec: `username`, `no_change_timeout_seconds`, `terminal_type`, `shell_path`, `env`.
    pub fn new(machine: &Machine, params: &JsonObject) -> Result<Self, CreateError> {
        let directory = &machine.place.working_dir;
        if !directory.is_dir() {
            return Err(CreateError::Unusable(format!(
                "working_dir '{}' is not a valid directory",
                directory.display()
            )));
        }
        check_terminal_type(params)?;
        let server = machine
            .env
            .iter()
            .map(|(name, value)| (name.into(), value.into()));
        let mut environment = shell_environment(server);
        let mut shell = ShellConfig::new(directory, []);
        shell.nice = if machine.keep_priority { 0 } else { NICE };
        let mut username = Account::current().map(|account| account.name);
        if let Some(name) =
            string(params, "username")?.filter(|name| Some(*name) != username.as_deref())
        {
            let account = Account::named(name)
                .ok_or_else(|| bad("username", format!("this machine has no account '{name}'")))?;
            environment.extend(account.login_environment());
            shell.user = Some(account.user);
            username = Some(account.name);
        }
        if let Some(path) = string(params, "shell_path")? {
            shell.bash = path.into();
        }
        environment.extend(extra_environment(params)?);
        shell.environment = ENVIRONMENTS.share(Arc::new(environment));
        Ok(Self {
            shell: Arc::new(shell),
            no_change_timeout: no_change_timeout(params)?,
            idle_timeout: machine.idle_timeout.filter(|seconds| *seconds > 0.0),
            save_dir: machine
                .place
                .persistence_dir
                .as_ref()
                .map(|directory| directory.join("observations")),
            username,
        })
    }
}

fn bad(parameter: &str, problem: impl Into<String>) -> CreateError {
    CreateError::BadParameter {
        tool: NAME.to_owned(),
        parameter: parameter.to_owned(),
        problem: problem.into(),
    }
}

fn string<'a>(params: &'a JsonObject, name: &str) -> Result<Option<&'a str>, CreateError> {
    match params.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(bad(name, format!("a string is wanted, not {other}"))),
    }
}

/// The reference has a backend per type; here every type is the same shell.
fn check_terminal_type(params: &JsonObject) -> Result<(), CreateError> {
    match string(params, "terminal_type")? {
        None | Some("tmux" | "subprocess") => Ok(()),
        Some("powershell") => Err(bad(
            "terminal_type",
            "PowerShell is not offered; commands run in bash",
        )),
        Some(other) => Err(bad(
            "terminal_type",
            format!("'tmux' or 'subprocess' is wanted, not '{other}'"),
        )),
    }
}

fn no_change_timeout(params: &JsonObject) -> Result<Duration, CreateError> {
    let name = "no_change_timeout_seconds";
    match params.get(name) {
        None | Some(Value::Null) => Ok(NO_CHANGE_TIMEOUT),
        Some(value) => value
            .as_f64()
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .filter(|limit| !limit.is_zero())
            .ok_or_else(|| {
                bad(
                    name,
                    format!("a number of seconds above 0 is wanted, not {value}"),
                )
            }),
    }
}

fn extra_environment(params: &JsonObject) -> Result<Vec<(OsString, OsString)>, CreateError> {
    let variables = match params.get("env") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Object(variables)) => variables,
        Some(other) => return Err(bad("env", format!("an object is wanted, not {other}"))),
    };
    variables
        .iter()
        .map(|(name, value)| match value.as_str() {
            _ if !is_variable_name(name.as_ref()) => {
                Err(bad("env", format!("'{name}' cannot be a variable's name")))
            }
            Some(value) if !value.contains('\0') => Ok((name.into(), value.into())),
            _ => Err(bad(
                "env",
                format!("the value of '{name}' must be a string without NUL"),
            )),
        })
        .collect()
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;

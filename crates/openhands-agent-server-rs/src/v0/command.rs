//! The command line and the environment of the V0 server.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{ArgAction, Args};

use crate::config::Environment;

const NO_CHANGE_SECONDS: u64 = 10;
const PLUGIN_SECONDS: u64 = 120;
/// Where clients look for it.
const VIEWER_URL_FILE: &str = "/tmp/oh-server-url";
/// Words by which `SU_TO_USER` says yes.
const YES: &[&str] = &["1", "TRUE", "T", "YES", "Y", "ON"];

/// Serves the V0 API: the action execution server that OpenHands 0.x backends start in their sandbox.
#[derive(Debug, Clone, Args)]
pub struct ActionServerArgs {
    /// Port to listen on; 0 takes a free one.
    pub port: u16,
    /// Where commands start. Without it: the directory that the server was started in.
    #[arg(long, value_name = "DIR")]
    pub working_dir: Option<PathBuf>,
    /// Plugins to start: agent_skills, jupyter, vscode.
    #[arg(long, num_args = 0.., value_name = "NAME")]
    pub plugins: Vec<String>,
    /// Who commands run as.
    #[arg(long, default_value = "openhands")]
    pub username: String,
    /// Who owns files that are made.
    #[arg(long, default_value_t = 1000)]
    pub user_id: u32,
    /// Offer the browser; on unless the opposite is given.
    #[arg(long, action = ArgAction::SetTrue, overrides_with = "no_enable_browser")]
    pub enable_browser: bool,
    /// Do not offer the browser.
    #[arg(long, action = ArgAction::SetTrue, overrides_with = "enable_browser")]
    pub no_enable_browser: bool,
    /// Evaluation environments of BrowserGym are not offered.
    #[arg(long, value_name = "ENV")]
    pub browsergym_eval_env: Option<String>,
    /// Address to listen on.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::UNSPECIFIED))]
    pub host: IpAddr,
}

/// All that a V0 server is told at its start.
#[derive(Debug, Clone)]
pub struct Settings {
    pub(super) host: IpAddr,
    pub(super) port: u16,
    pub(super) working_dir: PathBuf,
    pub(super) plugins: Vec<String>,
    pub(super) username: String,
    pub(super) user_id: u32,
    pub(super) browser: bool,
    /// The key that clients must show.
    pub(super) session_key: Option<String>,
    /// Silence after which a running command is handed back.
    pub(super) no_change_timeout: Duration,
    /// The time that all plugins together have to start.
    pub(super) plugin_timeout: Duration,
    /// Whether commands run as the named user.
    pub(super) su_to_user: bool,
    /// Whether the memory of all processes is written to the log.
    pub(super) memory_monitor: bool,
    /// A limit that is told of.
    pub(super) max_memory_gb: Option<u64>,
    /// Where the address of the file viewer is written.
    pub(super) viewer_url_file: PathBuf,
    /// The variables of the process.
    pub(super) environment: Environment,
}

impl Settings {
    /// Reads the arguments and the variables. Relative paths start at `directory`.
    pub fn new(
        args: ActionServerArgs,
        environment: Environment,
        directory: &std::path::Path,
    ) -> anyhow::Result<Self> {
        let browser = !args.no_enable_browser;
        if let Some(environment) = args.browsergym_eval_env {
            if !browser {
                bail!(
                    "--browsergym-eval-env needs the browser, and --no-enable-browser turns it off"
                );
            }
            bail!(
                "--browsergym-eval-env {environment}: evaluation environments of BrowserGym are not offered"
            );
        }
        let seconds = |name: &str, usual: u64| -> anyhow::Result<Duration> {
            let given = environment.given(name).map(str::parse).transpose();
            let seconds =
                given.with_context(|| format!("{name} must be a whole number of seconds"))?;
            Ok(Duration::from_secs(seconds.unwrap_or(usual)))
        };
        let max_memory_gb = environment.given("RUNTIME_MAX_MEMORY_GB");
        let max_memory_gb = max_memory_gb.map(str::parse).transpose();
        let max_memory_gb =
            max_memory_gb.context("RUNTIME_MAX_MEMORY_GB must be a whole number")?;
        let says_yes = |value: &str| YES.contains(&value.to_uppercase().as_str());
        Ok(Self {
            host: args.host,
            port: args.port,
            working_dir: match args.working_dir {
                Some(given) => directory.join(given),
                None => directory.to_owned(),
            },
            plugins: args.plugins,
            username: args.username,
            user_id: args.user_id,
            browser,
            session_key: environment.given("SESSION_API_KEY").map(str::to_owned),
            no_change_timeout: seconds("NO_CHANGE_TIMEOUT_SECONDS", NO_CHANGE_SECONDS)?,
            plugin_timeout: seconds("INIT_PLUGIN_TIMEOUT", PLUGIN_SECONDS)?,
            su_to_user: environment.given("SU_TO_USER").is_none_or(says_yes),
            memory_monitor: environment.says_yes("RUNTIME_MEMORY_MONITOR"),
            max_memory_gb,
            viewer_url_file: environment
                .given("FILE_VIEWER_URL_FILE")
                .unwrap_or(VIEWER_URL_FILE)
                .into(),
            environment,
        })
    }

    /// Whether commands are run through a switch to the named user.
    pub(super) fn switches_user(&self) -> bool {
        self.su_to_user && self.is_known_user()
    }

    /// Whether the user is one of those that a sandbox is made for.
    pub(super) fn is_known_user(&self) -> bool {
        matches!(self.username.as_str(), "root" | "openhands")
            || self.environment.given("RUNTIME_USERNAME") == Some(&self.username)
    }
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;

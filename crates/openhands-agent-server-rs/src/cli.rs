//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::config::Config;
use crate::v0::{ActionServerArgs, FileEditorArgs};

const LOOPBACK: &str = "127.0.0.1";
const ALL: &str = "0.0.0.0";
/// Addresses that mean every network.
const WILDCARDS: &[&str] = &["0.0.0.0", "::", "[::]"];

/// The OpenHands agent server.
#[derive(Debug, Parser)]
#[command(name = "openhands-agent-server", version)]
pub struct Cli {
    /// Another server than that of the V1 API.
    #[command(subcommand)]
    pub program: Option<Program>,
    /// Address to listen on. Without it: 127.0.0.1, or 0.0.0.0 when there is a session key.
    #[arg(long)]
    pub host: Option<String>,
    /// Port to listen on; 0 takes a free one.
    #[arg(long, default_value_t = 8000)]
    pub port: u16,
    /// The configuration file.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The program of the browser; stronger than OH_BROWSER_EXECUTABLE.
    #[arg(long, value_name = "FILE", global = true)]
    pub browser_executable: Option<String>,
    /// Tries whether a browser can show a page, and ends: with 0 if it can, else with 1.
    #[arg(long)]
    pub check_browser: bool,
    /// Asks the server at the port on this machine whether it is well, and ends: with 0 if it is, else with 1.
    #[arg(long)]
    pub check_health: bool,
    /// Ends when nobody has asked anything for so long, other than for the health; where there are session keys, only requests
    /// with one count. For containers whose owner may die.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub exit_when_unwatched: Option<u64>,
    /// Shows every setting and variable with its default, and ends.
    #[arg(long)]
    pub list_variables: bool,
    /// Accepted for compatibility; there is nothing to reload.
    #[arg(long)]
    pub reload: bool,
    /// Accepted for compatibility: Python modules cannot be imported.
    #[arg(long, value_name = "MODULES")]
    pub import_modules: Option<String>,
    /// Accepted for compatibility: Python modules cannot be imported.
    #[arg(long, value_name = "PATHS")]
    pub extra_python_path: Option<String>,
}

/// Servers besides that of the V1 API.
#[derive(Debug, Subcommand)]
pub enum Program {
    /// Serves the V0 API: the action execution server that OpenHands 0.x backends start in their sandbox.
    ActionServer(ActionServerArgs),
    /// Edits files as it is told on its standard input. Cells of IPython use it.
    FileEditor(FileEditorArgs),
}

impl Cli {
    /// Where to listen.
    pub fn host(&self, config: &Config) -> String {
        let usual = if config.needs_key() { ALL } else { LOOPBACK };
        self.host.clone().unwrap_or_else(|| usual.to_owned())
    }

    /// What the one who started the server should know.
    pub fn warnings(&self, config: &Config) -> Vec<String> {
        let mut warnings = Vec::new();
        let ignored = [
            ("--reload", self.reload),
            ("--import-modules", self.import_modules.is_some()),
            ("--extra-python-path", self.extra_python_path.is_some()),
        ];
        for (option, _) in ignored.into_iter().filter(|(_, given)| *given) {
            warnings.push(format!("{option} is ignored: this server runs no Python"));
        }
        let host = self.host.as_deref().unwrap_or_default();
        if WILDCARDS.contains(&host) && !config.needs_key() {
            warnings.push(format!(
                "listening on all networks ({host}) without a session key: anyone who reaches the port may run commands. \
                 Set SESSION_API_KEY or OH_SESSION_API_KEYS_0, or listen on 127.0.0.1"
            ));
        }
        warnings
    }
}

/// Where this server is reached from the same machine.
pub(crate) fn internal_url(host: &str, port: u16) -> String {
    if WILDCARDS.contains(&host) {
        format!("http://{LOOPBACK}:{port}")
    } else if host.contains(':') && !host.starts_with('[') {
        format!("http://[{host}]:{port}")
    } else {
        format!("http://{host}:{port}")
    }
}

#[cfg(test)]
#[path = "cli_tests.rs"]
mod tests;

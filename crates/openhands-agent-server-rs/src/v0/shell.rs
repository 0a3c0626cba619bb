//! The shells of the sandbox: the one that stays, and fresh ones for commands that must not touch it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use openhands_sdk_rs::process::{Account, ShellConfig, Size, shell_environment};
use openhands_sdk_rs::tools::terminal::TerminalSession;

use super::command::Settings;

/// Commands that every shell begins with.
const FIRST_COMMANDS: &[&str] = &[r#"alias git="git --no-pager""#];
/// Programs see a screen so wide that they need not wrap.
const SCREEN: Size = Size {
    rows: 1000,
    columns: 1000,
};
/// Variables for every process of the machine, which a switch of the user brings in.
const SYSTEM_ENVIRONMENT: &str = "/etc/environment";

/// A terminal, and whose commands it runs.
#[derive(Debug)]
pub(super) struct SandboxShell {
    pub(super) terminal: TerminalSession,
    pub(super) username: Option<String>,
    directory: PathBuf,
}

impl SandboxShell {
    /// Starts a shell in a directory.
    pub(super) async fn start(settings: &Settings, directory: &Path) -> anyhow::Result<Self> {
        let (config, username) = Self::config(settings, directory)?;
        let shell = Self {
            terminal: TerminalSession::new(config).with_first_commands(FIRST_COMMANDS),
            username,
            directory: directory.to_owned(),
        };
        shell.terminal.shell().await?;
        Ok(shell)
    }

    /// How commands are run, and whose they are.
    pub(super) fn config(
        settings: &Settings,
        directory: &Path,
    ) -> anyhow::Result<(ShellConfig, Option<String>)> {
        let variables = settings.environment.to_vec();
        let server = variables
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()));
        let mut config = ShellConfig::new(directory, shell_environment(server));
        config.size = SCREEN;
        let mut username = Account::current().map(|account| account.name);
        if settings.switches_user() {
            switch_user(&settings.username, &mut config)?;
            username = Some(settings.username.clone());
        }
        Ok((config, username))
    }

    /// Where the shell is now.
    pub(super) async fn directory(&self) -> PathBuf {
        let shell = self.terminal.shell().await.ok();
        shell
            .and_then(|shell| shell.state())
            .map_or_else(|| self.directory.clone(), |state| state.directory)
    }
}

/// What `su NAME` changes: the user, and the variables that are about the user; the rest stays.
fn switch_user(name: &str, config: &mut ShellConfig) -> anyhow::Result<()> {
    let Some(account) = Account::named(name) else {
        bail!("this machine has no user '{name}'");
    };
    let is_root = rustix::process::geteuid().is_root();
    if Account::current().as_ref() != Some(&account) {
        if !is_root {
            bail!("only root can run commands as another user: '{name}'");
        }
        config.user = Some(account.user.clone());
    }
    let environment = Arc::make_mut(&mut config.environment);
    environment.extend(system_environment());
    environment.extend(account.login_environment());
    Ok(())
}

/// `NAME=value` lines, with or without quotes.
fn system_environment() -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
    let text = fs::read_to_string(SYSTEM_ENVIRONMENT).unwrap_or_default();
    text.lines()
        .filter_map(|line| {
            let line = line.trim();
            let line = line.strip_prefix("export ").unwrap_or(line);
            let (name, value) = line.split_once('=')?;
            let is_name = !name.starts_with('#')
                // The caller's path is kept by a switch that is no login.
                && name != "PATH"
                && openhands_sdk_rs::process::is_variable_name(name.as_ref());
            is_name.then(|| (name.into(), value.trim_matches(['"', '\'']).into()))
        })
        .collect()
}

//! The user that commands run as, and the directory that they work in.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use anyhow::{Context, bail};
use openhands_sdk_rs::process::Account;
use tokio::process::Command;

use super::command::Settings;

const SUDOERS: &str = "/etc/sudoers";
const SUDO_RULE: &str = "%sudo ALL=(ALL) NOPASSWD:ALL\n";

/// Makes sure that the user and the directory are there, and that the one owns the other. Gives the user's id.
pub(super) async fn prepare(settings: &Settings) -> anyhow::Result<u32> {
    let name = settings.username.as_str();
    let is_own = settings.environment.get("USER") == Some(name);
    if is_own && !matches!(name, "root" | "openhands") {
        make_directory(&settings.working_dir)?;
        return Ok(settings.user_id);
    }
    if !rustix::process::geteuid().is_root() {
        // Nobody else's account can be made or used; whose commands these are is the caller's choice.
        make_directory(&settings.working_dir)?;
        return Ok(settings.user_id);
    }
    let mut user_id = settings.user_id;
    if name != "root" {
        user_id = match Account::named(name) {
            Some(account) => account.user.uid,
            None => make_user(name, settings.user_id).await?,
        };
    }
    make_directory(&settings.working_dir)?;
    let group = settings
        .environment
        .given("SANDBOX_GROUP_ID")
        .unwrap_or("root");
    hand_over(&settings.working_dir, &format!("{name}:{group}")).await;
    Ok(user_id)
}

/// Gives a directory with all that is in it to its owner, as far as that is possible.
///
/// compat: what the system does not let us change stays as it is. A directory of the host may be read-only or refuse
/// other owners, and its files can still be worked with.
async fn hand_over(directory: &Path, owner: &str) {
    if let Err(refused) = run("chown", &["-R", owner], Some(directory)).await {
        tracing::warn!(%refused, "the working directory keeps files of other owners");
    }
    let opened = fs::metadata(directory).and_then(|there| {
        let mode = there.permissions().mode();
        fs::set_permissions(directory, fs::Permissions::from_mode(mode | 0o060))
    });
    if let Err(refused) = opened {
        tracing::warn!(%refused, "the working directory is not opened to its group");
    }
}

fn make_directory(directory: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(directory)
        .with_context(|| format!("making the working directory {}", directory.display()))
}

/// Adds a user who may become root without a password, as clients expect of a sandbox.
async fn make_user(name: &str, user_id: u32) -> anyhow::Result<u32> {
    let allowed = fs::read_to_string(SUDOERS).is_ok_and(|rules| rules.contains(SUDO_RULE.trim()));
    if !allowed && let Ok(mut rules) = OpenOptions::new().append(true).open(SUDOERS) {
        rules
            .write_all(SUDO_RULE.as_bytes())
            .context("allowing the user to become root")?;
    }
    let home = format!("/home/{name}");
    let id = user_id.to_string();
    let with_sudo = fs::read_to_string("/etc/group")
        .is_ok_and(|groups| groups.lines().any(|line| line.starts_with("sudo:")));
    let mut arguments = vec!["-rm", "-d", &home, "-s", "/bin/bash", "-g", "root"];
    if with_sudo {
        arguments.extend(["-G", "sudo"]);
    }
    arguments.extend(["-u", &id, name]);
    run("useradd", &arguments, None).await?;
    tracing::info!(name, user_id, "added the user");
    Ok(user_id)
}

async fn run(program: &str, arguments: &[&str], path: Option<&Path>) -> anyhow::Result<()> {
    let done = Command::new(program)
        .args(arguments)
        .args(path)
        .kill_on_drop(true)
        .output()
        .await
        .with_context(|| format!("starting {program}"))?;
    if !done.status.success() {
        bail!(
            "{program} {}: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&done.stderr).trim()
        );
    }
    Ok(())
}

#[cfg(test)]
#[path = "user_tests.rs"]
mod tests;

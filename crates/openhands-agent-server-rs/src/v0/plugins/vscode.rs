//! The plugin `vscode`: a VS Code server for the people who watch the agent.
//!
//! Nothing about it is worth not starting for: where it cannot run, it says so in the log and is off.

use std::fs::{self, Permissions};
use std::io;
use std::net::Ipv4Addr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use openhands_sdk_rs::tools::blocking;
use parking_lot::Mutex;
use tokio::net::TcpListener;
use tokio::process::Command;

use super::{KernelSetup, Plugin};
use crate::services::vscode::{VsCode, VsCodeSetup};
use crate::v0::command::Settings;
use crate::v0::shell::SandboxShell;

/// Where images of OpenHands keep their VS Code.
const IMAGE_ROOT: &str = "/openhands/.openvscode-server";
/// Where a sandbox has its files, unless something else is said.
const WORKSPACE: &str = "/workspace";
/// What people find when they open the workspace.
const SETTINGS: &str = r#"{
    "workbench.colorTheme": "Default Dark Modern",
    "workbench.startupEditor": "none",
    "chat.commandCenter.enabled": false
}
"#;
/// How long VS Code may take to start.
const START_LIMIT: Duration = Duration::from_secs(30);
/// The pause before the first restart.
const FIRST_DELAY: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct VsCodePlugin {
    settings: Settings,
    token: Mutex<Option<String>>,
    vscode: tokio::sync::Mutex<Option<VsCode>>,
}

impl VsCodePlugin {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            settings: settings.clone(),
            token: Mutex::default(),
            vscode: tokio::sync::Mutex::default(),
        }
    }

    fn variable(&self, name: &str) -> Option<&str> {
        self.settings.environment.given(name)
    }

    /// How VS Code is started; none if it is off.
    async fn setup(&self) -> anyhow::Result<Option<VsCodeSetup>> {
        let username = &self.settings.username;
        if !self.settings.is_known_user() {
            tracing::warn!(
                username,
                "VS Code is only there for root, openhands and RUNTIME_USERNAME: it is off"
            );
            return Ok(None);
        }
        let workspace = PathBuf::from(self.variable("WORKSPACE_BASE").unwrap_or(WORKSPACE));
        let written = blocking(move || write_settings(&workspace)).await?;
        if let Err(error) = written {
            tracing::warn!(%error, "the settings of VS Code cannot be written");
        }
        let Some(port) = self
            .variable("VSCODE_PORT")
            .and_then(|port| port.parse().ok())
        else {
            tracing::warn!("VSCODE_PORT is not set, or no port: VS Code is off");
            return Ok(None);
        };
        let token = uuid::Uuid::new_v4().to_string();
        *self.token.lock() = Some(token.clone());
        let mounted = self
            .variable("WORKSPACE_MOUNT_PATH_IN_SANDBOX")
            .unwrap_or(WORKSPACE);
        let directory = Some(PathBuf::from(mounted)).filter(|mounted| mounted.is_dir());
        let (shell, _) = SandboxShell::config(&self.settings, &self.settings.working_dir)?;
        Ok(Some(VsCodeSetup {
            port,
            base_path: base_path(
                self.variable("OPENVSCODE_SERVER_BASE_PATH"),
                self.variable("RUNTIME_URL"),
                self.variable("RUNTIME_ID"),
            ),
            token: Some(token),
            program: self.variable("OH_VSCODE_PROGRAM").map(PathBuf::from),
            image_root: IMAGE_ROOT.into(),
            env: Arc::unwrap_or_clone(shell.environment),
            user: shell.user,
            directory: Some(directory.unwrap_or_else(|| self.settings.working_dir.clone())),
            start_limit: START_LIMIT,
            first_delay: FIRST_DELAY,
        }))
    }

    async fn begin(&self, setup: VsCodeSetup) {
        let vscode = VsCode::start(setup);
        // Who is told that the sandbox is ready can open VS Code at once; one that is slow comes later.
        let _ = tokio::time::timeout(START_LIMIT, vscode.running()).await;
        *self.vscode.lock().await = Some(vscode);
    }
}

impl Plugin for VsCodePlugin {
    fn name(&self) -> &'static str {
        "vscode"
    }

    fn check(&self) -> BoxFuture<'_, anyhow::Result<()>> {
        Box::pin(async { Ok(()) })
    }

    fn start(&self, _setup: KernelSetup) -> BoxFuture<'_, anyhow::Result<()>> {
        Box::pin(async move {
            let Some(setup) = self.setup().await? else {
                return Ok(());
            };
            let port = setup.port;
            if TcpListener::bind((Ipv4Addr::UNSPECIFIED, port))
                .await
                .is_err()
            {
                tracing::warn!(port, "the port of VS Code is taken: VS Code is off");
                return Ok(());
            }
            if let Some(user) = &setup.user {
                own(&setup.image_root, user.uid, user.gid).await;
            }
            self.begin(setup).await;
            Ok(())
        })
    }

    /// It is looked after by its own supervisor, which starts it again.
    fn is_healthy(&self) -> BoxFuture<'_, bool> {
        Box::pin(async { true })
    }

    fn stop(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let vscode = self.vscode.lock().await.take();
            if let Some(vscode) = vscode {
                vscode.stop().await;
            }
        })
    }

    fn connection_token(&self) -> Option<String> {
        self.token.lock().clone()
    }
}

/// The path below which VS Code answers, for proxies that tell sandboxes apart by their paths.
fn base_path(explicit: Option<&str>, url: Option<&str>, id: Option<&str>) -> Option<String> {
    if let Some(path) = explicit {
        return Some(format!("/{}", path.trim_matches('/')));
    }
    let id = id?;
    let (_, rest) = url?.split_once("://")?;
    let path = rest.find('/').and_then(|at| rest.get(at..))?;
    path.starts_with(&format!("/{id}"))
        .then(|| format!("/{id}/vscode"))
}

/// Settings that were there before stay: they may be part of somebody's repository.
fn write_settings(workspace: &Path) -> io::Result<()> {
    let folder = workspace.join(".vscode");
    let path = folder.join("settings.json");
    fs::create_dir_all(&folder)?;
    if !path.exists() {
        fs::write(&path, SETTINGS)?;
        fs::set_permissions(&path, Permissions::from_mode(0o666))?;
    }
    Ok(())
}

/// Gives the user the folder of the image's VS Code, which it writes to.
async fn own(folder: &Path, uid: u32, gid: u32) {
    if !folder.is_dir() {
        return;
    }
    let mut chown = Command::new("chown");
    chown.arg("-R").arg(format!("{uid}:{gid}")).arg(folder);
    match chown.kill_on_drop(true).status().await {
        Ok(status) if status.success() => {}
        Ok(status) => tracing::warn!(%status, "the folder of VS Code keeps its owner"),
        Err(error) => tracing::warn!(%error, "the folder of VS Code keeps its owner"),
    }
}

#[cfg(test)]
#[path = "vscode_tests.rs"]
mod tests;

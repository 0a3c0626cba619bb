//! What a sandbox has besides its shell and its editor: plugins that are named at the start.
//!
//! A plugin is one file here and one line in [`TABLE`]. All of them are checked and started at the same time, looked after
//! while the server runs, and ended with it.

mod agent_skills;
mod jupyter;
mod vscode;
mod watch;

use std::fmt;
use std::sync::Arc;

use anyhow::{Context, bail};
use futures_util::future::{BoxFuture, join_all, try_join_all};
use openhands_sdk_rs::tools::ipython::IPython;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::command::Settings;
use agent_skills::AgentSkills;
use jupyter::Jupyter;
use vscode::VsCodePlugin;
use watch::look_after;

type Make = fn(&Settings) -> anyhow::Result<Arc<dyn Plugin>>;

/// Every plugin, by the name that clients ask for.
const TABLE: &[(&str, Make)] = &[
    ("agent_skills", |settings| {
        Ok(Arc::new(AgentSkills::new(settings)))
    }),
    ("jupyter", |settings| Ok(Arc::new(Jupyter::new(settings)?))),
    ("vscode", |settings| {
        Ok(Arc::new(VsCodePlugin::new(settings)))
    }),
];

/// Something that is started with the sandbox and ends with it.
///
/// Implementers do their work in `start` and keep `new` cheap. `is_healthy` is asked every few seconds and must not take
/// longer than that; after it has said no a few times in a row, `restart` is called. `stop` is called once, also if `start` has
/// failed or was given up, and takes at most two seconds. Dropping a plugin ends its processes too.
pub(super) trait Plugin: Send + Sync + fmt::Debug {
    /// The name that clients ask for.
    fn name(&self) -> &'static str;

    /// Whether this machine has what the plugin needs; says what is missing.
    fn check(&self) -> BoxFuture<'_, anyhow::Result<()>>;

    /// Adds what the plugin wants in every IPython kernel. All plugins are asked before the first is started.
    fn prepare_kernel<'a>(
        &'a self,
        _setup: &'a mut KernelSetup,
    ) -> BoxFuture<'a, anyhow::Result<()>> {
        Box::pin(async { Ok(()) })
    }

    /// Starts it, and waits until it can be used.
    fn start(&self, setup: KernelSetup) -> BoxFuture<'_, anyhow::Result<()>>;

    /// Whether it can be used now.
    fn is_healthy(&self) -> BoxFuture<'_, bool> {
        Box::pin(async { true })
    }

    /// Ends it and starts it again.
    fn restart(&self) -> BoxFuture<'_, anyhow::Result<()>> {
        Box::pin(async { Ok(()) })
    }

    /// Ends it.
    fn stop(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }

    /// Where cells are run, if this plugin runs them.
    fn ipython(&self) -> Option<Arc<IPython>> {
        None
    }

    /// What visitors of VS Code must show, if this plugin is VS Code.
    fn connection_token(&self) -> Option<String> {
        None
    }
}

/// What plugins want in every IPython kernel.
#[derive(Debug, Clone, Default)]
pub(super) struct KernelSetup {
    /// Cells that it runs first.
    pub(super) cells: Vec<String>,
}

/// The plugins of a sandbox.
#[derive(Debug)]
pub(super) struct Plugins {
    all: Vec<Arc<dyn Plugin>>,
    ipython: Option<Arc<IPython>>,
    stop: CancellationToken,
    watches: TaskTracker,
}

impl Plugins {
    /// Starts the plugins that the settings name.
    pub(super) async fn start(settings: &Settings) -> anyhow::Result<Self> {
        let mut all: Vec<Arc<dyn Plugin>> = Vec::new();
        for name in &settings.plugins {
            let Some((_, make)) = TABLE.iter().find(|(known, _)| known == name) else {
                bail!("Plugin {name} not found");
            };
            if all.iter().all(|plugin| plugin.name() != name) {
                all.push(make(settings).with_context(|| format!("the plugin {name}"))?);
            }
        }
        let mut setup = KernelSetup::default();
        for plugin in &all {
            plugin
                .prepare_kernel(&mut setup)
                .await
                .with_context(|| format!("the plugin {}", plugin.name()))?;
        }
        let starting = try_join_all(all.iter().map(|plugin| begin(plugin.as_ref(), &setup)));
        let limit = settings.plugin_timeout;
        tokio::time::timeout(limit, starting)
            .await
            .with_context(|| {
                let seconds = limit.as_secs();
                format!("the plugins had not started after {seconds} seconds (INIT_PLUGIN_TIMEOUT)")
            })??;
        let stop = CancellationToken::new();
        let watches = TaskTracker::new();
        for plugin in &all {
            watches.spawn(look_after(Arc::clone(plugin), stop.clone()));
        }
        watches.close();
        Ok(Self {
            ipython: all.iter().find_map(|plugin| plugin.ipython()),
            all,
            stop,
            watches,
        })
    }

    /// Where cells are run, if there is such a plugin.
    pub(super) fn ipython(&self) -> Option<&Arc<IPython>> {
        self.ipython.as_ref()
    }

    /// What visitors of VS Code must show, if there is one.
    pub(super) fn connection_token(&self) -> Option<String> {
        self.all.iter().find_map(|plugin| plugin.connection_token())
    }

    /// Ends all of them.
    pub(super) async fn stop(&self) {
        self.stop.cancel();
        self.watches.wait().await;
        join_all(self.all.iter().map(|plugin| plugin.stop())).await;
    }
}

impl Drop for Plugins {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

async fn begin(plugin: &dyn Plugin, setup: &KernelSetup) -> anyhow::Result<()> {
    let name = plugin.name();
    plugin
        .check()
        .await
        .with_context(|| format!("the plugin {name} cannot be used here"))?;
    plugin
        .start(setup.clone())
        .await
        .with_context(|| format!("the plugin {name} does not start"))?;
    tracing::info!(name, "a plugin has started");
    Ok(())
}

#[cfg(test)]
#[path = "plugins_tests.rs"]
mod tests;

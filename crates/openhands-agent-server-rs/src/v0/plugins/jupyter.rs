//! The plugin `jupyter`: cells in an IPython kernel.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::anyhow;
use futures_util::future::BoxFuture;
use openhands_sdk_rs::tools::ipython::{IPython, IPythonConfig};

use super::{KernelSetup, Plugin};
use crate::v0::command::Settings;
use crate::v0::shell::SandboxShell;

/// Names the Python of the kernels.
const INTERPRETER: &str = "OPENHANDS_IPYTHON_PYTHON";
/// Names the Python that the image's own programs use.
const IMAGE_INTERPRETER: &str = "OH_INTERPRETER_PATH";
/// Where images of OpenHands keep their Python sources.
const IMAGE_SOURCES: &str = "/openhands/code";
/// Tracebacks are read by models, not on terminals.
const NO_COLOURS: &str = "%colors nocolor";
/// A kernel that loads the skills of the reference takes many seconds.
const SHORTEST_START: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct Jupyter {
    config: IPythonConfig,
    ipython: Arc<OnceLock<Arc<IPython>>>,
}

impl Jupyter {
    pub(super) fn new(settings: &Settings) -> anyhow::Result<Self> {
        let variables = &settings.environment;
        let is_local = variables.given("LOCAL_RUNTIME_MODE") == Some("1");
        let (shell, _) = SandboxShell::config(settings, &settings.working_dir)?;
        let environment = Arc::unwrap_or_clone(shell.environment);
        let mut config = IPythonConfig::new(&settings.working_dir, environment);
        config.interpreter = variables.given(INTERPRETER).map(PathBuf::from);
        let of_image = config
            .environment
            .get(std::ffi::OsStr::new(IMAGE_INTERPRETER));
        config.preferred = of_image.map(PathBuf::from).into_iter().collect();
        // A local runtime is one process of its user's own; nobody is switched to.
        config.user = shell.user.filter(|_| !is_local);
        if !is_local && Path::new(IMAGE_SOURCES).is_dir() {
            let path = config.environment.entry("PYTHONPATH".into()).or_default();
            let rest = std::mem::replace(path, IMAGE_SOURCES.into());
            if !rest.is_empty() {
                path.push(":");
                path.push(rest);
            }
        }
        config.start_timeout = settings.plugin_timeout.max(SHORTEST_START);
        config.setup = vec![NO_COLOURS.to_owned()];
        Ok(Self {
            config,
            ipython: Arc::default(),
        })
    }

    fn session(&self) -> &Arc<IPython> {
        self.ipython
            .get_or_init(|| Arc::new(IPython::new(self.config.clone())))
    }
}

impl Plugin for Jupyter {
    fn name(&self) -> &'static str {
        "jupyter"
    }

    fn check(&self) -> BoxFuture<'_, anyhow::Result<()>> {
        Box::pin(async {
            // A session of its own: that of the cells is not made before the other plugins have said what they want.
            IPython::new(self.config.clone()).find_interpreter().await?;
            Ok(())
        })
    }

    fn start(&self, setup: KernelSetup) -> BoxFuture<'_, anyhow::Result<()>> {
        Box::pin(async move {
            let mut config = self.config.clone();
            config.setup.extend(setup.cells);
            self.ipython
                .set(Arc::new(IPython::new(config)))
                .map_err(|_| anyhow!("it was started before"))?;
            Ok(self.session().start().await?)
        })
    }

    fn is_healthy(&self) -> BoxFuture<'_, bool> {
        Box::pin(async { self.session().is_healthy().await })
    }

    fn restart(&self) -> BoxFuture<'_, anyhow::Result<()>> {
        Box::pin(async { Ok(self.session().replace().await?) })
    }

    fn stop(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            if let Some(ipython) = self.ipython.get() {
                ipython.close().await;
            }
        })
    }

    fn ipython(&self) -> Option<Arc<IPython>> {
        self.ipython.get().cloned()
    }
}

//! The conversations of the server: which there are, and those that are in memory.

use std::sync::Arc;

use openhands_sdk_rs::Host;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::services::activity::Activity;

/// The conversations of the server.
#[derive(Debug)]
pub(crate) struct Conversations {
    host: Arc<Host>,
}

impl Conversations {
    /// Looks at what is on disk.
    pub(crate) async fn start(
        config: &Config,
        _activity: &Arc<Activity>,
        _stop: CancellationToken,
    ) -> anyhow::Result<Self> {
        let host = Host::new(config.env.clone()).keeping_in(&config.conversations_path);
        Ok(Self {
            host: Arc::new(host),
        })
    }

    /// What the conversations share.
    pub(crate) fn host(&self) -> &Arc<Host> {
        &self.host
    }

    /// Ends all that runs and saves it.
    pub(crate) async fn stop(&self) {}
}

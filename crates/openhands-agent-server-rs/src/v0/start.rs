//! Starting and ending a V0 server.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tower::ServiceExt as _;

use super::command::Settings;
use super::routes::router;
use super::sandbox::Sandbox;
use crate::connection;
use crate::lanes::Lanes;

/// Everything has ended by then: clients wait five seconds before they kill.
const STOP_TIME: Duration = Duration::from_secs(3);

/// A V0 server that listens.
#[derive(Debug)]
pub struct ActionServer {
    /// Where it listens.
    pub address: SocketAddr,
    sandbox: Arc<Sandbox>,
    stop: CancellationToken,
    task: AbortOnDropHandle<()>,
}

impl ActionServer {
    /// Makes everything ready, and only then listens.
    pub async fn start(settings: Settings) -> anyhow::Result<Self> {
        let (host, port) = (settings.host, settings.port);
        let sandbox = Sandbox::start(settings).await?;
        let listener = TcpListener::bind((host, port))
            .await
            .with_context(|| format!("listening on {host}:{port}"))?;
        let address = listener.local_addr()?;
        let stop = CancellationToken::new();
        let router = router(Arc::clone(&sandbox));
        let serving = connection::serve(
            listener,
            Arc::new(Lanes::here()),
            stop.clone(),
            move |request| {
                let answering = router.clone().oneshot(request);
                async move {
                    let Ok(response) = answering.await;
                    response
                }
            },
        );
        Ok(Self {
            address,
            sandbox,
            stop,
            task: AbortOnDropHandle::new(tokio::spawn(serving)),
        })
    }

    /// Takes no more requests and ends everything that runs.
    pub async fn stop(self) -> anyhow::Result<()> {
        self.stop.cancel();
        let ending = async {
            self.sandbox.close().await;
            self.task.await
        };
        match tokio::time::timeout(STOP_TIME, ending).await {
            Ok(served) => served.context("serving"),
            // A connection that is held open is cut off.
            Err(_) => Ok(()),
        }
    }
}

/// Serves the V0 API until `stop` resolves.
pub async fn serve_actions(
    settings: Settings,
    stop: impl Future<Output = ()>,
) -> anyhow::Result<()> {
    let server = ActionServer::start(settings).await?;
    tracing::info!(
        "the action execution server listens on http://{}",
        server.address
    );
    crate::memory::shrink_after_start();
    stop.await;
    tracing::info!("stopping");
    server.stop().await
}

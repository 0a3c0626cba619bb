//! Listening, and ending in good order.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context;
use axum::ServiceExt;
use axum::extract::Request;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::config::Config;
use crate::http::Door;

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    /// What it holds.
    pub app: Arc<App>,
    stop: CancellationToken,
    task: JoinHandle<std::io::Result<()>>,
}

impl Server {
    /// Starts all services and listens; port 0 takes a free one.
    pub async fn start(config: Config, host: &str, port: u16) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((host, port))
            .await
            .with_context(|| format!("listening on {host}:{port}"))?;
        let address = listener.local_addr()?;
        let app = App::start(config).await?;
        app.set_address(&format!("http://{address}"));
        let door = Door::new(app.router());
        let stop = CancellationToken::new();
        let stopped = stop.clone().cancelled_owned();
        let serving = axum::serve(listener, ServiceExt::<Request>::into_make_service(door))
            .with_graceful_shutdown(stopped);
        Ok(Self {
            address,
            app,
            stop,
            task: tokio::spawn(serving.into_future()),
        })
    }

    /// Takes no more requests, ends everything, and waits for the end.
    pub async fn stop(self) -> anyhow::Result<()> {
        self.stop.cancel();
        self.app.stop().await;
        self.task.abort();
        Ok(())
    }
}

/// Serves until `stop` resolves.
pub async fn serve(
    config: Config,
    host: &str,
    port: u16,
    stop: impl Future<Output = ()>,
) -> anyhow::Result<()> {
    let server = Server::start(config, host, port).await?;
    tracing::info!("listening on http://{}", server.address);
    stop.await;
    server.stop().await
}

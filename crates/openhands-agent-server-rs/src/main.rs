//! The agent server's entry point.

mod app;
mod cli;
mod server_info;

use anyhow::Context;
use clap::Parser;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let cli = cli::Cli::parse();
    let filter = EnvFilter::try_new(&cli.log_level).context("LOG_LEVEL")?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
    let listener = TcpListener::bind((cli.host.as_str(), cli.port))
        .await
        .with_context(|| format!("listening on {}:{}", cli.host, cli.port))?;
    tracing::info!("listening on http://{}", listener.local_addr()?);
    axum::serve(listener, app::router())
        .with_graceful_shutdown(stop())
        .await?;
    Ok(())
}

/// Resolves when the process is asked to end.
async fn stop() {
    let (Ok(mut terminate), Ok(mut interrupt)) = (
        signal(SignalKind::terminate()),
        signal(SignalKind::interrupt()),
    ) else {
        // Without handlers the signals end the process by themselves.
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}

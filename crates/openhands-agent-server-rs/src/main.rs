//! The agent server's entry point.

use anyhow::Context;
use clap::Parser;
use openhands_agent_server_rs::{Cli, Config, serve};
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    let filter = EnvFilter::try_new(&cli.log_level).context("LOG_LEVEL")?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
    let config = Config {
        env: std::env::vars().collect(),
        ..Config::default()
    };
    serve(config, &cli.host, cli.port, stop()).await
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

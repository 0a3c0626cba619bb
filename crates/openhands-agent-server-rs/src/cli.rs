//! The command line.

use clap::Parser;

/// The OpenHands agent server.
#[derive(Debug, Parser)]
#[command(name = "openhands-agent-server", version)]
pub struct Cli {
    /// Address to listen on.
    #[arg(long, default_value = "127.0.0.1")]
    pub host: String,
    /// Port to listen on; 0 takes a free one.
    #[arg(long, default_value_t = 8000)]
    pub port: u16,
    /// What is logged: error, warn, info, debug, trace, or a filter per module.
    #[arg(long, env = "LOG_LEVEL", default_value = "info")]
    pub log_level: String,
}

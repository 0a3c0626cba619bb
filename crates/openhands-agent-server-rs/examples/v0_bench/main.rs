//! Our V0 server beside the Python one, over HTTP, interleaved in one run: `just bench-v0`.
//!
//! Prints a table with median, 99th percentile and ratio; `--json FILE` keeps the figures. `--ours-only` needs no Python.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod figures;
mod kernel;
mod server;
mod work;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use clap::Parser;

use crate::figures::{Row, Table};
use crate::kernel::Kernel;
use crate::server::{Launch, Server};
use crate::work::Work;

/// Our V0 server beside the Python one.
#[derive(Debug, Parser)]
struct Arguments {
    /// Our program.
    #[arg(long, default_value = "target/release/openhands-agent-server")]
    server: PathBuf,
    /// An interpreter with openhands-ai and ipykernel; tests/v0-reference/install prints one.
    #[arg(long)]
    python: Option<PathBuf>,
    /// Only our server; with --python also its IPython.
    #[arg(long)]
    ours_only: bool,
    /// Starts of each server.
    #[arg(long, default_value_t = 5)]
    starts: usize,
    /// Rounds of each action; ours is asked ten times in a round.
    #[arg(long, default_value_t = 40)]
    rounds: usize,
    /// A file for the figures.
    #[arg(long)]
    json: Option<PathBuf>,
}

/// How often ours is asked while the other is asked once.
const OURS_IN_A_ROUND: usize = 10;
/// Uploads and downloads of each server; a transfer is long enough that few of them show its speed.
const TRANSFERS: usize = 10;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let ours = Launch::ours(&arguments.server, arguments.python.as_deref())?;
    let other = match (&arguments.python, arguments.ours_only) {
        (_, true) => None,
        (Some(python), false) => Some(Launch::python(python)?),
        (None, false) => {
            anyhow::bail!("--python names the interpreter of the Python server; or --ours-only")
        }
    };
    let mut table = Table::default();
    starts(&arguments, &ours, other.as_ref(), &mut table).await?;
    actions(&arguments, &ours, other.as_ref(), &mut table).await?;
    print!("{table}");
    if let Some(file) = &arguments.json {
        std::fs::write(file, serde_json::to_vec_pretty(&table.json())?)
            .with_context(|| format!("writing {}", file.display()))?;
    }
    Ok(())
}

/// Start-up without plugins, and the memory of all processes then.
async fn starts(
    arguments: &Arguments,
    ours: &Launch,
    other: Option<&Launch>,
    table: &mut Table,
) -> anyhow::Result<()> {
    let mut start = Row::milliseconds("start-up without plugins, to the first answer of /alive");
    let mut memory = Row::megabytes("memory of all its processes then, PSS");
    if let Some(other) = other {
        // Once uncounted: compiles the bytecode.
        Server::start(other, false).await?.stop().await?;
    }
    for _ in 0..arguments.starts {
        if let Some(other) = other {
            let server = Server::start(other, false).await?;
            start.other(server.took());
            memory.other(server.memory()?);
            server.stop().await?;
        }
        for _ in 0..OURS_IN_A_ROUND {
            let server = Server::start(ours, false).await?;
            start.ours(server.took());
            memory.ours(server.memory()?);
            server.stop().await?;
        }
    }
    table.extend([start, memory]);
    Ok(())
}

/// Every action, on servers with a kernel where there is one.
async fn actions(
    arguments: &Arguments,
    ours: &Launch,
    other: Option<&Launch>,
    table: &mut Table,
) -> anyhow::Result<()> {
    let ipython = arguments.python.is_some();
    let ours = Server::start(ours, ipython).await?;
    let other = match other {
        Some(other) => Some(Server::start(other, ipython).await?),
        None => None,
    };
    for (work, rounds, repeated) in [
        (Work::Run, arguments.rounds, OURS_IN_A_ROUND),
        (Work::Read, arguments.rounds, OURS_IN_A_ROUND),
        (Work::Edit, arguments.rounds, OURS_IN_A_ROUND),
        (Work::Upload, TRANSFERS, 1),
        (Work::Download, TRANSFERS, 1),
    ] {
        let mut row = Row::milliseconds(work.name());
        // Once uncounted: connections, caches.
        ours.measure(work).await?;
        if let Some(other) = &other {
            other.measure(work).await?;
        }
        for _ in 0..rounds {
            if let Some(other) = &other {
                row.other(other.measure(work).await?);
            }
            for _ in 0..repeated {
                row.ours(ours.measure(work).await?);
            }
        }
        table.extend([row]);
    }
    if let Some(python) = arguments.python.as_deref() {
        let mut kernel = Kernel::start(python).await?;
        table.extend(cells(arguments.rounds, &ours, other.as_ref(), &mut kernel).await?);
        kernel.stop().await?;
    }
    if let Some(other) = other {
        other.stop().await?;
    }
    ours.stop().await
}

/// A cell through each server, and the same cell asked of a kernel directly.
async fn cells(
    rounds: usize,
    ours: &Server,
    other: Option<&Server>,
    kernel: &mut Kernel,
) -> anyhow::Result<[Row; 2]> {
    let mut row = Row::milliseconds(Work::Cell.name());
    let mut bare =
        Row::milliseconds("the same cell, ours beside a kernel asked directly by jupyter_client");
    for round in 0..=rounds {
        if let Some(other) = other {
            let took = other.measure(Work::LossyCell).await?;
            if round > 0 {
                row.other(took);
            }
        }
        for _ in 0..OURS_IN_A_ROUND {
            let (through, direct): (Duration, Duration) =
                (ours.measure(Work::Cell).await?, kernel.cell().await?);
            if round > 0 {
                row.ours(through);
                bare.ours(through);
                bare.other(direct);
            }
        }
    }
    Ok([row, bare])
}

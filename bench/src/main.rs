//! Our agent server beside the Python one: the same requests to both, interleaved in one run, with the machine's limit
//! beside them. `just bench-compare`; docs/performance.md says what each line means.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bash;
mod bench;
mod chart;
mod fanout;
mod figures;
mod files;
mod growth;
mod history;
mod http;
mod limits;
mod many;
mod memory;
mod model;
mod page_cache;
mod processes;
mod requests;
mod servers;
mod shutdown;
mod sockets;
mod start;
mod steps;
mod stream;
mod table;
mod talk;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use parking_lot::Mutex;
use tokio::runtime::{Builder, Handle};
use tokio::signal::unix::{SignalKind, signal};

use crate::bench::{Bench, Launches};
use crate::figures::Figure;
use crate::servers::Launch;
use crate::table::Table;

/// No group of metrics takes longer, also with the Python server on a slow machine.
const GROUP_LIMIT: Duration = Duration::from_mins(15);

/// Our agent server beside the Python one.
#[derive(Debug, Parser)]
struct Arguments {
    /// Fewer repetitions: about two minutes on two cores, most of them for the Python server.
    #[arg(long)]
    quick: bool,
    /// A file for all figures.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// A file for the chart.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Only the groups whose name has this in it; can be repeated.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Our program.
    #[arg(
        long,
        value_name = "PATH",
        default_value = "target/release/openhands-agent-server"
    )]
    ours: PathBuf,
    /// Measure only our program.
    #[arg(long)]
    ours_only: bool,
    /// The interpreter of the Python server, if it is installed; else it is installed first.
    #[arg(long, value_name = "PATH", env = "OPENHANDS_REFERENCE_PYTHON")]
    python: Option<PathBuf>,
    /// Only prints the names of the groups.
    #[arg(long)]
    list: bool,
}

/// The groups, in the order in which they are measured: the last ones stop the servers.
const GROUPS: [&str; 10] = [
    "start", "memory", "bash", "stream", "files", "steps", "fanout", "many", "requests", "history",
];
const LAST: &str = "shutdown";

fn main() -> anyhow::Result<ExitCode> {
    let crowd = Builder::new_multi_thread().enable_all().build()?;
    if std::env::args().nth(1).as_deref() == Some(requests::BARE) {
        crowd.block_on(requests::serve_bare())?;
        return Ok(ExitCode::SUCCESS);
    }
    // One thread waits for all sockets. Several would wake each other for every answer, on the processors that the servers need.
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let arguments = Arguments::parse();
    let groups: Vec<&'static str> = GROUPS
        .into_iter()
        .chain([LAST])
        .filter(|name| {
            arguments.only.is_empty() || arguments.only.iter().any(|only| name.contains(only))
        })
        .collect();
    ensure!(!groups.is_empty(), "no group has such a name; see --list");
    if arguments.list {
        println!("{}", groups.join("\n"));
        return Ok(ExitCode::SUCCESS);
    }
    let launches = Launches {
        ours: Launch::ours(&arguments.ours)?,
        python: (!arguments.ours_only)
            .then(|| python(arguments.python.as_deref()))
            .transpose()?,
    };
    let table = Arc::new(Mutex::new(Table::default()));
    let ended = runtime.block_on(async {
        // On a thread that waits for sockets: this one would be woken by such a thread for every answer, which would be timed, too.
        let crowd = crowd.handle().clone();
        let measured = run(launches, arguments.quick, crowd, groups, Arc::clone(&table));
        let mut measured = tokio::spawn(measured);
        tokio::select! {
            ended = &mut measured => ended?,
            interrupted = interrupted() => {
                measured.abort();
                // What it drops ends the servers.
                let _ = measured.await;
                interrupted
            }
        }
    });
    let table = table.lock();
    print!("{table}");
    if let Some(file) = &arguments.json {
        let text = serde_json::to_vec_pretty(&table.json(arguments.quick))?;
        std::fs::write(file, text).with_context(|| format!("writing {}", file.display()))?;
    }
    if let Some(file) = &arguments.svg {
        std::fs::write(file, chart::svg(&table))
            .with_context(|| format!("writing {}", file.display()))?;
    }
    ended?;
    Ok(if table.has_failed() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// Waits to be told to end. What is dropped then ends the servers; what is measured is told.
async fn interrupted() -> anyhow::Result<()> {
    let mut terminated = signal(SignalKind::terminate())?;
    tokio::select! {
        told = tokio::signal::ctrl_c() => told?,
        _ = terminated.recv() => {}
    }
    anyhow::bail!("interrupted")
}

/// The Python server: the given interpreter, or the one that `tests/reference/install` makes.
fn python(interpreter: Option<&Path>) -> anyhow::Result<Launch> {
    if let Some(interpreter) = interpreter {
        return Launch::python(interpreter);
    }
    let output = Command::new("tests/reference/install")
        .stderr(Stdio::inherit())
        .output()
        .context("tests/reference/install: start this in the project's directory")?;
    ensure!(
        output.status.success(),
        "the Python server cannot be installed; --ours-only goes without it"
    );
    Launch::python(Path::new(String::from_utf8(output.stdout)?.trim()))
}

/// Measures the groups. One that fails is told with the table, and the others go on.
async fn run(
    launches: Launches,
    quick: bool,
    crowd: Handle,
    groups: Vec<&'static str>,
    table: Arc<Mutex<Table>>,
) -> anyhow::Result<()> {
    let bar = ProgressBar::new(u64::try_from(groups.len())?);
    bar.set_style(ProgressStyle::with_template(
        "{bar:30} {pos}/{len}  {elapsed}  {prefix}: {wide_msg}",
    )?);
    bar.set_prefix("servers");
    bar.set_message("starting");
    bar.enable_steady_tick(Duration::from_millis(500));
    let mut bench = Bench::new(launches, quick, crowd, bar.clone())?;
    bench.start().await?;
    for group in groups {
        bar.set_prefix(group);
        let measured = tokio::time::timeout(GROUP_LIMIT, measure(&mut bench, group))
            .await
            .context("it takes too long")
            .flatten();
        match measured {
            Ok(figures) => table.lock().add(group, figures),
            Err(error) => table.lock().fail(group, &error),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(())
}

async fn measure(bench: &mut Bench, group: &str) -> anyhow::Result<Vec<Figure>> {
    match group {
        "start" => Box::pin(start::measure(bench)).await,
        "memory" => Box::pin(memory::measure(bench)).await,
        "bash" => Box::pin(bash::measure(bench)).await,
        "stream" => Box::pin(stream::measure(bench)).await,
        "files" => Box::pin(files::measure(bench)).await,
        "steps" => Box::pin(steps::measure(bench)).await,
        "fanout" => Box::pin(fanout::measure(bench)).await,
        "many" => Box::pin(many::measure(bench)).await,
        "requests" => Box::pin(requests::measure(bench)).await,
        "history" => Box::pin(history::measure(bench)).await,
        _ => Box::pin(shutdown::measure(bench)).await,
    }
}

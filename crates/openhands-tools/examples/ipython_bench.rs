//! How long a cell takes: through the engine, against the same requests sent straight to the same kind of kernel over the bare
//! sockets, in one run. `cargo run --release -p openhands-tools --example ipython_bench -- PYTHON [cells]`
#![allow(clippy::print_stdout)]

use anyhow::Context as _;
use openhands_tools::ipython::{Cell, IPython, IPythonConfig};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Talks to a kernel with the library that Jupyter itself uses, as short as it can be: a request, then messages until the
/// reply and the idle status have come. Prints the times of its cells in microseconds.
const BARE: &str = r"
import sys, time
from jupyter_client import KernelManager
cells, code = int(sys.argv[1]), sys.argv[2]
manager = KernelManager(transport='ipc', kernel_cmd=[sys.executable, '-m', 'ipykernel_launcher', '-f', '{connection_file}'])
manager.start_kernel(stdout=2, stderr=2)
client = manager.blocking_client()
client.start_channels()
client.wait_for_ready(timeout=60)
def cell():
    sent = client.execute(code, store_history=False)
    while client.get_shell_msg(timeout=60)['parent_header'].get('msg_id') != sent: pass
    while True:
        message = client.get_iopub_msg(timeout=60)
        if message['parent_header'].get('msg_id') == sent and message['content'].get('execution_state') == 'idle': return
for _ in range(20): cell()
for _ in range(cells):
    begin = time.perf_counter()
    cell()
    print(int((time.perf_counter() - begin) * 1e6))
client.stop_channels()
manager.shutdown_kernel(now=True)
";
const CODES: [(&str, &str); 2] = [("1 + 1", "1 + 1"), ("print", "print('x' * 80)")];

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let python = arguments.next().context("the Python to use")?;
    let cells: usize = arguments.next().map_or(Ok(500), |count| count.parse())?;
    println!("{cells} cells each; milliseconds: median, 95 of 100");
    for (name, code) in CODES {
        let ours = through_engine(&python, cells, code).await?;
        let bare = straight(&python, cells, code)?;
        let gap = median(&ours).as_secs_f64() - median(&bare).as_secs_f64();
        println!(
            "{name:<8} engine {}   jupyter_client {}   difference {:+.3}",
            show(&ours),
            show(&bare),
            gap * 1e3
        );
    }
    Ok(())
}

async fn through_engine(python: &str, cells: usize, code: &str) -> anyhow::Result<Vec<Duration>> {
    let mut config = IPythonConfig::new("/", std::env::vars_os());
    config.interpreter = Some(python.into());
    let ipython = IPython::new(config);
    let never = CancellationToken::new();
    let mut times = Vec::new();
    for number in 0..cells + 20 {
        let cell = Cell {
            code: code.to_owned(),
            ..Cell::default()
        };
        let begin = Instant::now();
        ipython.run(cell, &never).await?;
        if number >= 20 {
            times.push(begin.elapsed());
        }
    }
    ipython.close().await;
    times.sort();
    Ok(times)
}

fn straight(python: &str, cells: usize, code: &str) -> anyhow::Result<Vec<Duration>> {
    let child: Child = Command::new(python)
        .args(["-c", BARE, &cells.to_string(), code])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let done = child.wait_with_output()?;
    anyhow::ensure!(
        done.status.success(),
        "the bare loop failed: it needs jupyter_client"
    );
    let mut times = String::from_utf8(done.stdout)?
        .lines()
        .map(|line| Ok(Duration::from_micros(line.trim().parse()?)))
        .collect::<anyhow::Result<Vec<_>>>()?;
    times.sort();
    Ok(times)
}

fn median(sorted: &[Duration]) -> Duration {
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

fn show(sorted: &[Duration]) -> String {
    let late = sorted
        .get(sorted.len() * 95 / 100)
        .copied()
        .unwrap_or_default();
    format!(
        "{:.3} {:.3}",
        median(sorted).as_secs_f64() * 1e3,
        late.as_secs_f64() * 1e3
    )
}

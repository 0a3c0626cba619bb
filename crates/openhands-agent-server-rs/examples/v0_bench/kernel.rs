//! A kernel of its own, asked directly by `jupyter_client`.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::Context as _;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

const SCRIPT: &str = include_str!("kernel.py");

/// The Python program that runs one cell for each line that it reads.
#[derive(Debug)]
pub(crate) struct Kernel {
    child: Child,
    orders: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Kernel {
    pub(crate) async fn start(python: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new(python)
            .args(["-c", SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("starting a kernel")?;
        let orders = child.stdin.take().context("no pipe to the kernel")?;
        let answers =
            BufReader::new(child.stdout.take().context("no pipe from the kernel")?).lines();
        let mut kernel = Self {
            child,
            orders,
            answers,
        };
        // The first cell is slow: it loads what all later ones use.
        kernel.cell().await?;
        Ok(kernel)
    }

    /// The time of one cell, from the request to its reply and to the kernel's rest.
    pub(crate) async fn cell(&mut self) -> anyhow::Result<Duration> {
        self.orders.write_all(b"\n").await?;
        let answer = self
            .answers
            .next_line()
            .await?
            .context("the kernel ended")?;
        Ok(Duration::from_secs_f64(answer.trim().parse()?))
    }

    /// The end of its orders is its end.
    pub(crate) async fn stop(mut self) -> anyhow::Result<()> {
        drop(self.orders);
        self.child.wait().await?;
        Ok(())
    }
}

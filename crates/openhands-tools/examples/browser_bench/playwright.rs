//! The other side: Playwright, in a process of Node.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::Context as _;
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

const SCRIPT: &str = include_str!("playwright.mjs");

#[derive(Debug)]
pub(crate) struct Playwright {
    child: Child,
    orders: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

#[derive(Debug, Deserialize)]
struct Answer {
    milliseconds: f64,
    bytes: usize,
}

impl Playwright {
    pub(crate) fn start(modules: &Path, chromium: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new("node")
            .args(["--input-type=module", "--eval", SCRIPT, "--"])
            .args([modules, chromium])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("node")?;
        let orders = child.stdin.take().context("no pipe to node")?;
        let answers = BufReader::new(child.stdout.take().context("no pipe from node")?).lines();
        Ok(Self {
            child,
            orders,
            answers,
        })
    }

    /// Does it; gives its time and how much it gave back.
    pub(crate) async fn does(
        &mut self,
        work: &str,
        argument: &str,
    ) -> anyhow::Result<(Duration, usize)> {
        let order = format!("{}\n", json!({"work": work, "argument": argument}));
        self.orders.write_all(order.as_bytes()).await?;
        let line = self
            .answers
            .next_line()
            .await?
            .context("Playwright ended")?;
        let answer: Answer = serde_json::from_str(&line)?;
        Ok((
            Duration::from_secs_f64(answer.milliseconds / 1e3),
            answer.bytes,
        ))
    }

    pub(crate) async fn stop(mut self) -> anyhow::Result<()> {
        drop(self.orders);
        self.child.wait().await?;
        Ok(())
    }
}

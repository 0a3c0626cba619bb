//! A server in a process of its own, for tests that would disturb the trees of others.

use std::path::Path;
use std::process::Stdio as StdStdio;

use pretty_assertions::assert_eq;
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::marks::{DEADLINE, Mark, watchdogs_of};

/// A server that starts a tree for each line it is given and answers with the outcome.
pub(crate) struct Server {
    pub(crate) process: Child,
    stdin: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    pub(crate) mark: Mark,
}

impl Server {
    pub(crate) fn start(program: &Path, setup: impl FnOnce(&mut Command)) -> Self {
        let mark = Mark::new();
        let mut command = Command::new(program);
        command
            .args([&mark.0, "lines"])
            .stdin(StdStdio::piped())
            .stdout(StdStdio::piped())
            .kill_on_drop(true);
        setup(&mut command);
        let mut process = command.spawn().unwrap();
        Self {
            stdin: process.stdin.take().unwrap(),
            answers: BufReader::new(process.stdout.take().unwrap()).lines(),
            process,
            mark,
        }
    }

    pub(crate) async fn ask(&mut self, order: &str) -> String {
        self.stdin
            .write_all(format!("{order}\n").as_bytes())
            .await
            .unwrap();
        let answer = tokio::time::timeout(DEADLINE, self.answers.next_line())
            .await
            .unwrap();
        answer.unwrap().unwrap()
    }

    pub(crate) fn pid(&self) -> i32 {
        i32::try_from(self.process.id().unwrap()).unwrap()
    }

    pub(crate) fn watchdog(&self) -> i32 {
        let found = watchdogs_of(self.pid());
        assert_eq!(found.len(), 1, "one watchdog");
        found[0]
    }

    pub(crate) async fn end(mut self) {
        self.process.start_kill().unwrap();
        self.process.wait().await.unwrap();
        self.mark.vanish().await;
    }
}

/// The program of the server.
pub(crate) fn holder() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_tree-holder"))
}

pub(crate) fn kill(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

//! What the machine itself allows, measured in the same run: no server is in these.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::processes;

/// Starts `bash -c true` and waits for its end.
pub(crate) fn spawn() -> anyhow::Result<Duration> {
    let began = Instant::now();
    let status = Command::new("bash")
        .args(["-c", "true"])
        .stdin(Stdio::null())
        .status()?;
    ensure!(status.success(), "bash -c true failed");
    Ok(began.elapsed())
}

/// The same by several threads at once: how many in a second.
pub(crate) fn spawn_rate(threads: usize, total: usize) -> anyhow::Result<f64> {
    let each = total / threads;
    let began = Instant::now();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| scope.spawn(|| (0..each).try_for_each(|_| spawn().map(drop))))
            .collect();
        workers.into_iter().try_for_each(|worker| {
            worker
                .join()
                .map_err(|_| anyhow::anyhow!("a thread panicked"))?
        })
    })?;
    Ok(crate::figures::number(each * threads) / began.elapsed().as_secs_f64())
}

/// A bash that reads commands from a pipe: the time of each line that it answers.
pub(crate) fn pipe_round_trips(count: usize) -> anyhow::Result<Vec<Duration>> {
    let mut shell = bare_shell()?;
    let mut orders = shell.stdin.take().context("no pipe")?;
    let mut answers = BufReader::new(shell.stdout.take().context("no pipe")?);
    let mut line = String::new();
    let mut times = Vec::with_capacity(count);
    for _ in 0..=count {
        let began = Instant::now();
        orders.write_all(b"true; echo $?\n")?;
        line.clear();
        answers.read_line(&mut line)?;
        ensure!(line == "0\n", "bash said {line:?}");
        times.push(began.elapsed());
    }
    drop(orders);
    shell.wait()?;
    // The first one is its start.
    Ok(times.split_off(1))
}

/// The memory of so many shells that do nothing, in bytes.
pub(crate) fn bare_shells(count: usize) -> anyhow::Result<u64> {
    let mut shells = Vec::new();
    for _ in 0..count {
        let mut shell = bare_shell()?;
        let mut line = String::new();
        shell
            .stdin
            .as_mut()
            .context("no pipe")?
            .write_all(b"echo ready\n")?;
        BufReader::new(shell.stdout.as_mut().context("no pipe")?).read_line(&mut line)?;
        shells.push(shell);
    }
    let bytes = shells
        .iter()
        .filter_map(|shell| processes::memory_of(shell.id()))
        .sum();
    for mut shell in shells {
        drop(shell.stdin.take());
        shell.wait()?;
    }
    Ok(bytes)
}

fn bare_shell() -> anyhow::Result<std::process::Child> {
    Ok(Command::new("bash")
        .args(["--norc", "--noprofile"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?)
}

/// `cat FILE` read from a pipe to its end.
pub(crate) fn pipe(file: &Path) -> anyhow::Result<Duration> {
    let began = Instant::now();
    let mut child = Command::new("cat")
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    drain(child.stdout.take().context("no pipe")?)?;
    child.wait()?;
    Ok(began.elapsed())
}

/// `cat FILE` read from a pseudo-terminal to its end.
pub(crate) fn terminal(file: &Path) -> anyhow::Result<Duration> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let name = ptsname(&master, Vec::new())?;
    let slave = File::options()
        .read(true)
        .write(true)
        .open(name.to_str()?)?;
    let began = Instant::now();
    let mut child = Command::new("cat")
        .arg(file)
        .stdin(Stdio::null())
        .stdout(slave)
        .spawn()?;
    // The end of a terminal is an error (EIO): its last writer is gone.
    let _ = drain(File::from(master));
    child.wait()?;
    Ok(began.elapsed())
}

fn drain(mut from: impl std::io::Read) -> anyhow::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    while from.read(&mut buffer)? > 0 {}
    Ok(())
}

/// A plain copy: read, write, read, write.
pub(crate) fn copy(from: &Path, to: &Path) -> anyhow::Result<Duration> {
    // A copy onto nothing, as an upload of a new file.
    let _ = std::fs::remove_file(to);
    let mut buffer = vec![0; 128 << 10];
    let began = Instant::now();
    let (mut from, mut to) = (File::open(from)?, File::create(to)?);
    loop {
        let size = from.read(&mut buffer)?;
        if size == 0 {
            return Ok(began.elapsed());
        }
        to.write_all(buffer.get(..size).unwrap_or_default())?;
    }
}

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;

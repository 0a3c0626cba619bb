//! Compares the start and end of `true` as a guarded tree with a plain child of std and of tokio, and
//! measures how long the kill of a tree takes.
//!
//! `cargo run --release -p openhands-process --example spawn_bench [COUNT]`
#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use openhands_process::{Cgroup, Spawn, Stdio};
use tokio::io::AsyncReadExt as _;

type Failure = Box<dyn std::error::Error>;

async fn tree(cgroup: Cgroup) -> Result<(), Failure> {
    let tree = Spawn::new("/bin/true").cgroup(cgroup).start().await?;
    tree.wait().await;
    Ok(())
}

/// How long it takes to end a command with a daemon.
async fn kill(cgroup: Cgroup) -> Result<Duration, Failure> {
    let script = "setsid sleep 1000 & echo; exec sleep 1000";
    let spawn = Spawn::new("/bin/sh")
        .args(["-c", script])
        .env("PATH", "/usr/bin:/bin");
    let mut tree = spawn.stdout(Stdio::Pipe).cgroup(cgroup).start().await?;
    if let Some(stdout) = &mut tree.stdout {
        stdout.read_u8().await?;
    }
    let start = Instant::now();
    tree.kill().await?;
    Ok(start.elapsed())
}

fn plain() -> Result<(), Failure> {
    std::process::Command::new("/bin/true")
        .env_clear()
        .status()?;
    Ok(())
}

async fn tokio_child() -> Result<(), Failure> {
    tokio::process::Command::new("/bin/true")
        .env_clear()
        .status()
        .await?;
    Ok(())
}

fn line(name: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |part: usize| {
        times
            .get(times.len() * part / 100)
            .copied()
            .unwrap_or_default()
    };
    println!("{name:<28} p50 {:>9.1?}  p95 {:>9.1?}", at(50), at(95));
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let count = std::env::args()
        .nth(1)
        .map_or(Ok(500), |count| count.parse())?;
    let first = Instant::now();
    tree(Cgroup::Auto).await?;
    println!(
        "first tree, with the start of the watchdog: {:.1?}",
        first.elapsed()
    );
    let mut times: [Vec<Duration>; 6] = Default::default();
    // Interleaved, so that a busy machine slows all of them alike.
    for _ in 0..count {
        let [std, tokio, off, auto, ..] = &mut times;
        let start = Instant::now();
        plain()?;
        std.push(start.elapsed());
        let start = Instant::now();
        tokio_child().await?;
        tokio.push(start.elapsed());
        let start = Instant::now();
        tree(Cgroup::Off).await?;
        off.push(start.elapsed());
        let start = Instant::now();
        tree(Cgroup::Auto).await?;
        auto.push(start.elapsed());
    }
    // Apart from the others, as each of these ends a guard that might have served again.
    for _ in 0..count {
        let [.., kill_off, kill_auto] = &mut times;
        kill_off.push(kill(Cgroup::Off).await?);
        kill_auto.push(kill(Cgroup::Auto).await?);
    }
    let names = [
        "std::process",
        "tokio::process",
        "tree, no cgroup, new guard",
        "tree, cgroup, same guard",
        "kill with daemon, no cgroup",
        "kill with daemon, cgroup",
    ];
    for (name, times) in names.iter().zip(&mut times) {
        line(name, times);
    }
    Ok(())
}

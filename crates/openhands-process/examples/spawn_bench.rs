//! Compares the start and end of `true` as a guarded tree with a plain child of std and of tokio.
//!
//! `cargo run --release -p openhands-process --example spawn_bench [COUNT]`
#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use openhands_process::{Cgroup, Spawn};

type Failure = Box<dyn std::error::Error>;

async fn tree(cgroup: Cgroup) -> Result<(), Failure> {
    let tree = Spawn::new("/bin/true").cgroup(cgroup).start().await?;
    tree.wait().await;
    Ok(())
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
    let mut times: [Vec<Duration>; 4] = Default::default();
    // Interleaved, so that a busy machine slows all of them alike.
    for _ in 0..count {
        let [std, tokio, off, auto] = &mut times;
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
    let names = [
        "std::process",
        "tokio::process",
        "tree, no cgroup",
        "tree, cgroup",
    ];
    for (name, times) in names.iter().zip(&mut times) {
        line(name, times);
    }
    Ok(())
}

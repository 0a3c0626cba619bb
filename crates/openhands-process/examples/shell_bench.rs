//! How fast the persistent shell is, next to the bare mechanism it stands on, measured in the same run.
//!
//! `cargo run --release -p openhands-process --example shell_bench [-- --bytes 1073741824 --rounds 5000]`
#![allow(clippy::print_stdout, clippy::cast_precision_loss)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use openhands_process::{Outcome, Shell, ShellConfig, Wait};
use tokio_util::sync::CancellationToken;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    // In a task, as a server's requests are.
    tokio::spawn(async { measure().await.map_err(|error| error.to_string()) }).await??;
    Ok(())
}

async fn measure() -> Result<(), Failure> {
    let bytes = argument("--bytes", 1 << 30)?;
    let rounds = argument("--rounds", 5000)?;
    let mut config = ShellConfig::new(std::env::temp_dir(), std::env::vars_os());
    config.startup_files = false;
    let started = Instant::now();
    let shell = Shell::start(config).await?;
    println!(
        "{:<44} {:>10.2} ms",
        "start of a shell",
        milliseconds(started.elapsed())
    );

    let bare = bare_round_trip(rounds)?;
    let plain = no_op(&shell, "true", rounds).await?;
    let checked = no_op(&shell, ": <<END\nEND", rounds / 50).await?;
    println!(
        "{:<44} {:>10.4} ms",
        "round trip to a bash on a pipe, median",
        milliseconds(bare)
    );
    println!(
        "{:<44} {:>10.4} ms  {:>6.2} x",
        "no-op command, median",
        milliseconds(plain),
        ratio(plain, bare)
    );
    println!(
        "{:<44} {:>10.4} ms  {:>6.2} x",
        "no-op in a subshell, median",
        milliseconds(checked),
        ratio(checked, bare)
    );

    let first = first_byte(&shell, 300).await?;
    println!(
        "{:<44} {:>10.4} ms",
        "written byte to streamed byte, median",
        milliseconds(first)
    );

    let cat = cat_through_a_terminal(bytes)?;
    let before = resident()?;
    let flow = flow(&shell, bytes).await?;
    let rate = |time: Duration| bytes as f64 / time.as_secs_f64() / f64::from(1 << 20);
    println!(
        "{:<44} {:>10.1} MiB/s",
        format!("{bytes} bytes, cat on a bare terminal"),
        rate(cat)
    );
    println!(
        "{:<44} {:>10.1} MiB/s  {:>4.2} x",
        "the same through the shell",
        rate(flow),
        ratio(cat, flow)
    );
    println!(
        "{:<44} {:>10} kB, {} kB before",
        "resident memory after it",
        resident()?,
        before
    );
    shell.close().await;
    Ok(())
}

fn argument(name: &str, default: u64) -> Result<u64, Failure> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    match arguments.nth(1) {
        Some(value) => Ok(value.parse()?),
        None => Ok(default),
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// One line to a bash on pipes and its answer back, with blocking reads and writes.
fn bare_round_trip(rounds: u64) -> Result<Duration, Failure> {
    let mut bash = Command::new("bash")
        .args(["--norc", "--noprofile"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut to = bash.stdin.take().ok_or("no stdin")?;
    let mut from = BufReader::new(bash.stdout.take().ok_or("no stdout")?);
    let mut times = Vec::new();
    let mut line = String::new();
    for _ in 0..rounds {
        let start = Instant::now();
        to.write_all(b"echo $?\n")?;
        line.clear();
        from.read_line(&mut line)?;
        times.push(start.elapsed());
    }
    drop(to);
    bash.wait()?;
    Ok(median(times))
}

async fn no_op(shell: &Shell, command: &str, rounds: u64) -> Result<Duration, Failure> {
    let mut times = Vec::new();
    for _ in 0..rounds {
        let start = Instant::now();
        complete(shell, command).await?;
        times.push(start.elapsed());
    }
    Ok(median(times))
}

async fn complete(shell: &Shell, command: &str) -> Result<(), Failure> {
    shell.run(command, &[]).await?;
    match shell
        .wait(Wait::default(), &CancellationToken::new())
        .await?
    {
        Outcome::Completed(done) if done.exit_code == 0 => Ok(()),
        other @ (Outcome::Completed(_)
        | Outcome::SoftTimeout
        | Outcome::HardTimeout
        | Outcome::Cancelled(_)) => Err(format!("{command}: {other:?}").into()),
    }
}

/// From the moment a program writes a byte, which it tells with its clock, to the moment a subscriber has it.
async fn first_byte(shell: &Shell, rounds: usize) -> Result<Duration, Failure> {
    let mut pieces = shell.subscribe();
    let mut times = Vec::new();
    for _ in 0..rounds {
        // EPOCHREALTIME is read right before the write.
        shell.run("printf '%s\\n' $EPOCHREALTIME", &[]).await?;
        // The line end comes apart.
        let (now, text) = loop {
            let piece = pieces.recv().await?;
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
            let text = String::from_utf8(piece.to_vec())?;
            if !text.trim().is_empty() {
                break (now, text);
            }
        };
        let written = Duration::from_secs_f64(text.trim().parse()?);
        times.push(now.saturating_sub(written));
        shell
            .wait(Wait::default(), &CancellationToken::new())
            .await?;
    }
    Ok(median(times))
}

const SOURCE: &str = "head -c COUNT /dev/zero | tr '\\0' x";

/// The same program on a terminal whose other end is read by blocking reads and dropped.
fn cat_through_a_terminal(bytes: u64) -> Result<Duration, Failure> {
    use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let slave = ioctl_tiocgptpeer(
        &master,
        OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC,
    )?;
    let mut master = std::fs::File::from(master);
    let start = Instant::now();
    let script = format!("{} | cat", SOURCE.replace("COUNT", &bytes.to_string()));
    let mut child = Command::new("bash")
        .args(["-c", &script])
        .stdout(slave)
        .spawn()?;
    let mut buffer = vec![0; 64 << 10];
    let mut left = bytes;
    while left > 0 {
        left = left.saturating_sub(master.read(&mut buffer)? as u64);
    }
    let time = start.elapsed();
    child.wait()?;
    Ok(time)
}

async fn flow(shell: &Shell, bytes: u64) -> Result<Duration, Failure> {
    let start = Instant::now();
    complete(
        shell,
        &format!("{} | cat", SOURCE.replace("COUNT", &bytes.to_string())),
    )
    .await?;
    let time = start.elapsed();
    let total = shell.output().raw.total;
    if total == bytes {
        Ok(time)
    } else {
        Err(format!("{total} bytes arrived of {bytes}").into())
    }
}

fn resident() -> Result<u64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    Ok(line
        .ok_or("no VmRSS")?
        .trim()
        .trim_end_matches(" kB")
        .parse()?)
}

//! What the machine itself allows, measured in the same run: no server is in these.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::time::ClockId;
use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::processes;

/// The two events of a message, as a subscriber of ours gets them.
const MESSAGE_BYTES: usize = 616;

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

/// What a shell in a terminal reads at its start, if the machine has it. The last word tells that it is done: what was typed comes back, too, and
/// is not the same.
const STARTUP: &[u8] = b"[ -r /etc/bash.bashrc ] && . /etc/bash.bashrc; true; echo re''ady\n";
const READY: &[u8] = b"ready\r\n";

/// The memory of so many shells in terminals that have started and run a command, in bytes. They are the bash that agents have, with nothing else:
/// neither a line editor nor a history, with which it would be half as large again and more.
pub(crate) fn bare_shells(count: usize) -> anyhow::Result<u64> {
    let shells = (0..count)
        .map(|_| TerminalShell::start())
        .collect::<anyhow::Result<Vec<_>>>()?;
    Ok(shells
        .iter()
        .filter_map(|shell| processes::memory_of(shell.child.id()))
        .sum())
}

/// A bash in a terminal of its own; it ends with this.
struct TerminalShell {
    child: Child,
    /// The other end of its terminal.
    _master: File,
}

impl TerminalShell {
    fn start() -> anyhow::Result<Self> {
        let (mut master, slave) = open_terminal()?;
        // It becomes bash, with the terminal as its own.
        let child = Command::new("setsid")
            .args([
                "--ctty",
                "bash",
                "--noediting",
                "--norc",
                "-i",
                "+o",
                "history",
            ])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("TERM", "xterm-256color")
            .env("LANG", "C.UTF-8")
            .stdin(slave.try_clone()?)
            .stdout(slave.try_clone()?)
            .stderr(slave)
            .spawn()?;
        let mut this = Self {
            child,
            _master: master.try_clone()?,
        };
        master.write_all(STARTUP)?;
        let (mut said, mut buffer) = (Vec::new(), [0; 4096]);
        while !said.windows(READY.len()).any(|part| part == READY) {
            let size = master.read(&mut buffer)?;
            ensure!(
                size > 0 && this.child.try_wait()?.is_none(),
                "bash has ended"
            );
            said.extend_from_slice(buffer.get(..size).unwrap_or_default());
        }
        Ok(this)
    }
}

impl Drop for TerminalShell {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn bare_shell() -> anyhow::Result<Child> {
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
    let (master, slave) = open_terminal()?;
    let began = Instant::now();
    let mut child = Command::new("cat")
        .arg(file)
        .stdin(Stdio::null())
        .stdout(slave)
        .spawn()?;
    // The end of a terminal is an error (EIO): its last writer is gone.
    let _ = drain(master);
    child.wait()?;
    Ok(began.elapsed())
}

/// Both ends of a new pseudo-terminal.
fn open_terminal() -> anyhow::Result<(File, File)> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = openpt(flags)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let name = ptsname(&master, Vec::new())?;
    let slave = rustix::fs::open(
        name.as_c_str(),
        OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    Ok((master.into(), slave.into()))
}

/// The processor time of one thread that sends a message to so many subscribers, all of which wait for it: the mean of so many messages.
pub(crate) async fn sends(subscribers: usize, messages: u32) -> anyhow::Result<Duration> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let (told, mut arrivals) = mpsc::unbounded_channel();
    let (mut readers, mut sockets) = (JoinSet::new(), Vec::new());
    for _ in 0..subscribers {
        let connecting = TcpStream::connect(listener.local_addr()?);
        let (mut reader, (socket, _)) = tokio::try_join!(connecting, listener.accept())?;
        socket.set_nodelay(true)?;
        let socket = socket.into_std()?;
        socket.set_nonblocking(false)?;
        sockets.push(socket);
        let told = told.clone();
        readers.spawn(async move {
            let mut frame = [0; MESSAGE_BYTES];
            while reader.read_exact(&mut frame).await.is_ok() && told.send(()).is_ok() {}
        });
    }
    // With the last reader the waiting ends, too.
    drop(told);
    let sending = tokio::task::spawn_blocking(move || {
        let mut used = Duration::ZERO;
        for _ in 0..messages {
            let before = thread_time()?;
            for socket in &mut sockets {
                socket.write_all(&[b'x'; MESSAGE_BYTES])?;
            }
            used += thread_time()?.saturating_sub(before);
            for _ in 0..subscribers {
                arrivals.blocking_recv().context("a subscriber is gone")?;
            }
        }
        Ok(used / messages)
    });
    sending.await?
}

/// The processor time of the calling thread.
fn thread_time() -> anyhow::Result<Duration> {
    let time = rustix::time::clock_gettime(ClockId::ThreadCPUTime);
    Ok(Duration::new(
        time.tv_sec.try_into()?,
        time.tv_nsec.try_into()?,
    ))
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

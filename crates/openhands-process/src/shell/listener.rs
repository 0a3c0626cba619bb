//! The task that listens to one bash: to its terminal, to its control socket, and for its end.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::net::UnixStream;
use tokio::sync::Notify;

use super::dying;
use super::marks::Token;
use super::report::{Report, ReportReader};
use super::script::Script;
use super::stream::{Stream, Told};
use crate::pty::Master;
use crate::tree::Tree;

/// How often bash is given the occasion to tell of jobs that ended.
const MAX_ROUNDS: u32 = 3;
/// Twice as much as one read of a terminal gives.
const READ_BYTES: usize = 8 << 10;
/// How long the terminal of a dead shell is read, if something keeps it open.
const DRAIN: Duration = Duration::from_secs(1);
/// Bytes read in a row before the other sources get their turn.
const TURN_BYTES: usize = 1 << 20;
/// More than a terminal holds between its two ends.
const HELD_BYTES: usize = 256 << 10;

/// What the session and its listener share.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) tree: Tree,
    pub(crate) master: Master,
    pub(crate) control: UnixStream,
    pub(crate) stream: Mutex<Stream>,
    pub(crate) changed: Arc<Notify>,
}

/// Whether a terminal was read empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Drained {
    All,
    Part,
}

/// Listens until bash has ended.
pub(crate) async fn listen(link: Arc<Link>, script: Script, token: Token) {
    let mut reports = ReportReader::new(token);
    let mut control_open = true;
    let exit = loop {
        tokio::select! {
            // A report first: a flood of output must not hold it up, and its own output is read with it.
            biased;
            ready = link.control.readable(), if control_open => {
                control_open = ready.is_ok() && read_reports(&link, &mut reports, &script).await;
            }
            ready = link.master.readable() => {
                let Ok(mut ready) = ready else { break link.tree.wait().await };
                match read_terminal(&link, TURN_BYTES) {
                    Ok(Drained::All) => ready.clear_ready(),
                    Ok(Drained::Part) => {}
                    Err(()) => break link.tree.wait().await,
                }
            }
            exit = link.tree.wait() => break exit,
        }
    };
    // Reports that were sent before the end still count for nothing: the shell is gone. What it left
    // running is ended first, so that the terminal has an end.
    if let Err(error) = link.tree.kill().await {
        tracing::warn!(%error, "a dead shell's processes were not all ended");
    }
    // In a box of its own, with its buffer: this task lives as long as the shell, and is as large as the largest thing that it waits for.
    let _ = tokio::time::timeout(DRAIN, Box::pin(drain(&link))).await;
    link.stream.lock().shell_died(exit);
    link.changed.notify_waiters();
}

/// Reads what the terminal has. Breaks when nobody holds its other end any more.
fn read_terminal(link: &Link, at_most: usize) -> Result<Drained, ()> {
    let mut buffer = [0; READ_BYTES];
    let mut read = 0;
    while read < at_most {
        match link.master.read(&mut buffer) {
            Ok(0) => return Err(()),
            Ok(count) => {
                read += count;
                link.stream
                    .lock()
                    .feed(buffer.get(..count).unwrap_or_default());
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(Drained::All),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Err(()),
        }
    }
    Ok(Drained::Part)
}

/// Takes the reports that the control socket has. False when its other end is closed.
async fn read_reports(link: &Link, reports: &mut ReportReader, script: &Script) -> bool {
    let open = read_control(link, reports);
    while let Some(report) = reports.next() {
        take_report(link, script, report).await;
    }
    open
}

/// Reads what the control socket has. Apart, so that its buffer is not kept while something is waited for.
fn read_control(link: &Link, reports: &mut ReportReader) -> bool {
    let mut buffer = [0; 4096];
    loop {
        match link.control.try_read(&mut buffer) {
            Ok(0) => return false,
            Ok(count) => reports.feed(buffer.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return true,
            Err(_) => return false,
        }
    }
}

/// Ends the command that bash reports on, once all of its output is here.
async fn take_report(link: &Link, script: &Script, mut report: Report) {
    let number = report.command;
    if link.stream.lock().may_have_moved(&report) {
        report.directory = directory(link.tree.pid(), report.directory);
    }
    let (told, expected) = {
        let mut stream = link.stream.lock();
        (stream.report(report), stream.expects_deaths())
    };
    let again = match told {
        Told::Nothing => return,
        Told::NotAll => script.report(number, true),
        // Bash tells of ended jobs before it reads a line.
        Told::All(times, jobs)
            if times < MAX_ROUNDS && dying::settle(&jobs, expected && times == 0).await =>
        {
            let _ = read_terminal(link, HELD_BYTES);
            link.stream.lock().shell_speaks();
            [b"\n", script.report(number, true).as_slice()].concat()
        }
        Told::All(..) => Vec::new(),
    };
    let asked = !again.is_empty()
        && link
            .control
            .try_write(&again)
            .is_ok_and(|written| written == again.len());
    if !asked {
        // The output was written before the report, and a read of the terminal first waits for what is on its
        // way; so all of it is here as soon as a read finds nothing, or has found as much as a terminal holds.
        let _ = read_terminal(link, HELD_BYTES);
        link.stream.lock().end();
        link.changed.notify_waiters();
    }
}

/// `PWD`, if it is the directory that bash is in, else what the system says.
fn directory(pid: i32, pwd: PathBuf) -> PathBuf {
    use std::os::unix::fs::MetadataExt as _;
    let link = format!("/proc/{pid}/cwd");
    let id = |path: &Path| {
        std::fs::metadata(path)
            .map(|file| (file.dev(), file.ino()))
            .ok()
    };
    let real = id(link.as_ref());
    if pwd.is_absolute() && (real.is_none() || real == id(&pwd)) {
        return pwd;
    }
    let Ok(real) = std::fs::read_link(link) else {
        return pwd;
    };
    match real
        .to_str()
        .and_then(|real| real.strip_suffix(" (deleted)"))
    {
        Some(deleted) => deleted.into(),
        None => real,
    }
}

async fn drain(link: &Link) {
    let mut buffer = [0; READ_BYTES];
    loop {
        match link.master.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => {
                link.stream
                    .lock()
                    .feed(buffer.get(..count).unwrap_or_default());
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let Ok(mut ready) = link.master.readable().await else {
                    return;
                };
                ready.clear_ready();
                match link.master.read(&mut buffer) {
                    Ok(0) => return,
                    Ok(count) => {
                        link.stream
                            .lock()
                            .feed(buffer.get(..count).unwrap_or_default());
                    }
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(_) => return,
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

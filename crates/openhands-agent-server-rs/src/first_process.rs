//! The first process of a container: it collects processes that nobody else waits for, hands signals on, and ends as
//! the server does.
//!
//! The server itself cannot do that: it waits for its own children, each where it was started, and whoever collects all
//! of them would take theirs away. So the first process starts the program once more and does nothing else.

use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitCode, ExitStatus};

use anyhow::Context as _;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, wait};
use tokio::signal::unix::{SignalKind, signal};

/// What is handed on. A container is stopped by the first, or by what its image names.
const HANDED_ON: [(Signal, fn() -> SignalKind); 6] = [
    (Signal::TERM, SignalKind::terminate),
    (Signal::INT, SignalKind::interrupt),
    (Signal::HUP, SignalKind::hangup),
    (Signal::QUIT, SignalKind::quit),
    (Signal::USR1, SignalKind::user_defined1),
    (Signal::USR2, SignalKind::user_defined2),
];

/// Runs the program as a child, if this is the first process of a container, and gives how it ended.
///
/// To be called before anything else: the child starts from the beginning.
pub fn run_as_first_process() -> anyhow::Result<Option<ExitCode>> {
    if std::process::id() != 1 {
        return Ok(None);
    }
    let program = std::env::current_exe().context("the program's own path")?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime of the first process")?;
    runtime.block_on(async {
        let mut ended = signal(SignalKind::child()).context("signals of children")?;
        let mut command = Command::new(program);
        command.args(std::env::args_os().skip(1));
        // A terminal sends its signals to the group in front, which is ours: the child gets them once, from us.
        command.process_group(0);
        let child = command.spawn().context("the server")?;
        let child = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let child = child.context("the server has no process id")?;
        let mut handing_on = tokio::task::JoinSet::new();
        for (sent, kind) in HANDED_ON {
            let mut signals = signal(kind()).context("signals to hand on")?;
            handing_on.spawn(async move {
                while signals.recv().await.is_some() {
                    // It may have ended just now.
                    let _ = kill_process(child, sent);
                }
            });
        }
        loop {
            while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
                if pid == child {
                    return Ok(Some(code_of(status)));
                }
            }
            ended.recv().await.context("signals of children ended")?;
        }
    })
}

/// The code by which a shell would tell the same end.
fn code_of(status: WaitStatus) -> ExitCode {
    let status = ExitStatus::from_raw(status.as_raw());
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

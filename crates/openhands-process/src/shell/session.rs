//! One live bash: its terminal, its control socket, and the task that listens to both.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::net::UnixStream;
use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;

use super::config::ShellConfig;
use super::dying;
use super::error::ShellError;
use super::listener::{Link, listen};
use super::marks::Token;
use super::preview::Preview;
use super::report::Report;
use super::script::{Form, Restore, Script};
use super::started::{Moment, Started};
use super::stream::{Ended, Stream};
use crate::pty::{self, Meaning};
use crate::screen;
use crate::spawn::{Spawn, Stdio};

/// How long a program may take to be itself after bash gave it the terminal, and how often to look.
const HANDOVER: Duration = Duration::from_millis(10);
const HANDOVER_TRIES: usize = 8;

#[derive(Debug)]
pub(crate) struct Session {
    link: Arc<Link>,
    script: Script,
    state: Mutex<State>,
    _listener: AbortOnDropHandle<()>,
}

#[derive(Debug, Default)]
struct State {
    number: u64,
    known: Arc<Report>,
    /// When the last command was handed over.
    began: Moment,
}

impl Session {
    /// Starts a bash and waits until it is ready for a command.
    pub(crate) async fn start(
        config: &ShellConfig,
        preview: Preview,
        changed: Arc<Notify>,
    ) -> Result<Self, ShellError> {
        let token = Token::random();
        let (master, slave) = pty::open(config.size).map_err(ShellError::Terminal)?;
        let script = Script::new(&slave.path, token.clone());
        let (control, theirs) = UnixStream::pair().map_err(ShellError::Terminal)?;
        let theirs = OwnedFd::from(theirs.into_std().map_err(ShellError::Terminal)?);
        blocking(&theirs).map_err(ShellError::Terminal)?;
        if let Some(user) = &config.user {
            rustix::fs::fchown(&slave.fd, Some(rustix::fs::Uid::from_raw(user.uid)), None)
                .map_err(|e| ShellError::Terminal(e.into()))?;
        }
        let errors = slave.fd.try_clone().map_err(ShellError::Terminal)?;
        let mut spawn = Spawn::new(&config.bash)
            // Without a history from the start: bash would read the user's into memory, and keep the table of it.
            .args(["--noediting", "--norc", "-i", "+o", "history"])
            .arg0("bash")
            .envs(config.environment.iter())
            .env("TERM", "xterm-256color")
            .cwd(&config.directory)
            .nice(config.nice)
            .cgroup(config.cgroup)
            .stdin(Stdio::Fd(theirs))
            .stdout(Stdio::Fd(slave.fd))
            .stderr(Stdio::Fd(errors))
            .controlling_terminal(1);
        if let Some(user) = config.user.clone() {
            spawn = spawn.user(user);
        }
        let tree = spawn.start().await?;
        let mut stream = Stream::new(config.output_cap, &token, preview);
        stream.begin(0, "exit", Some(0), &Report::default());
        let link = Arc::new(Link {
            tree,
            master,
            control,
            stream: Mutex::new(stream),
            changed,
        });
        let listener = tokio::spawn(listen(Arc::clone(&link), script.clone(), token));
        let session = Self {
            link,
            script,
            state: Mutex::default(),
            _listener: AbortOnDropHandle::new(listener),
        };
        session.get_ready(config).await?;
        Ok(session)
    }

    async fn get_ready(&self, config: &ShellConfig) -> Result<(), ShellError> {
        let ready = async {
            self.write(&self.script.start(config.startup_files)).await?;
            Ok::<_, ShellError>(self.ended().await)
        };
        let ended = tokio::time::timeout(config.startup_timeout, ready).await;
        let output = || {
            let stream = self.link.stream.lock();
            let said = stream.output().map(super::capture::Capture::snapshot);
            said.map(|said| screen::render(&said.head).text)
                .unwrap_or_default()
        };
        match ended {
            // Bash that is gone does not read its lines; why it went says more.
            Ok(Err(_) | Ok(Ended::Died(_))) => {
                let exit = self.link.tree.wait().await;
                self.died().await;
                Err(ShellError::StartupExited {
                    exit,
                    output: output(),
                })
            }
            Ok(Ok(Ended::Reported(report))) => {
                self.learn(*report);
                self.link.stream.lock().discard();
                Ok(())
            }
            Err(_) => Err(ShellError::StartupTimeout {
                after: config.startup_timeout,
                running: program_name(self.link.tree.pid()),
                output: output(),
            }),
        }
    }

    /// Hands a command to bash.
    pub(crate) async fn begin(
        &self,
        text: &str,
        form: Form,
        environment: &[(String, String)],
    ) -> Result<(), ShellError> {
        let (number, line) = {
            let mut state = self.state.lock();
            state.number += 1;
            state.began = Moment::now();
            let known = &state.known;
            let restore = Restore {
                status: known.status,
                pipe_status: if text.contains("PIPESTATUS") {
                    known.pipe_status.clone()
                } else {
                    Vec::new()
                },
                prompt_command: known.prompt_command.clone(),
                xtrace: known.flags.contains('x'),
                verbose: known.flags.contains('v'),
                // Under `set -e` the mark's own status would end the shell.
                mark_done: !known.jobs.is_empty()
                    && !known.flags.contains('e')
                    && !text.contains("set -"),
            };
            (
                state.number,
                self.script
                    .command(state.number, text, form, environment, &restore),
            )
        };
        self.send(number, None, line, text).await
    }

    /// Lets bash report with this status, without running anything. `echo` is shown as the output.
    pub(crate) async fn begin_nothing(&self, status: u8, echo: &[u8]) -> Result<(), ShellError> {
        let number = {
            let mut state = self.state.lock();
            state.number += 1;
            state.number
        };
        self.link.stream.lock().output_bytes(echo);
        self.send(number, Some(status), Vec::new(), "").await
    }

    async fn send(
        &self,
        number: u64,
        status: Option<u8>,
        mut line: Vec<u8>,
        text: &str,
    ) -> Result<(), ShellError> {
        let known = self.known();
        line.extend(self.script.report(number, wants_full(text, &known)));
        self.link.stream.lock().begin(number, text, status, &known);
        // If bash dies meanwhile, the listener says so.
        match self.write(&line).await {
            Ok(()) | Err(ShellError::Terminal(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn write(&self, mut bytes: &[u8]) -> Result<(), ShellError> {
        while !bytes.is_empty() {
            match self.link.control.try_write(bytes) {
                Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.link
                        .control
                        .writable()
                        .await
                        .map_err(ShellError::Terminal)?;
                }
                Err(error) => return Err(ShellError::Terminal(error)),
            }
        }
        Ok(())
    }

    /// What a report says is remembered for the next command.
    pub(crate) fn learn(&self, report: Report) {
        self.state.lock().known = Arc::new(report);
    }

    /// The state after the last command.
    pub(crate) fn known(&self) -> Arc<Report> {
        Arc::clone(&self.state.lock().known)
    }

    pub(crate) fn stream(&self) -> &Mutex<Stream> {
        &self.link.stream
    }

    /// Waits for the running command's end.
    async fn ended(&self) -> Ended {
        loop {
            let mut changed = std::pin::pin!(self.link.changed.notified());
            changed.as_mut().enable();
            if let Some(ended) = self.link.stream.lock().take_ended() {
                return ended;
            }
            changed.await;
        }
    }

    /// Waits until the listener has seen the shell's death and read all that is left.
    async fn died(&self) {
        loop {
            let mut changed = std::pin::pin!(self.link.changed.notified());
            changed.as_mut().enable();
            if self.link.stream.lock().died().is_some() {
                return;
            }
            changed.await;
        }
    }

    /// Types bytes into the terminal.
    pub(crate) async fn input(&self, bytes: &[u8]) -> io::Result<()> {
        self.link.master.write_all(bytes).await
    }

    /// Types a control character. If the terminal would make a signal of it, the signal is sent at once: the
    /// terminal driver would do so a little later, perhaps to the command after this one.
    pub(crate) async fn control(&self, byte: u8) -> io::Result<()> {
        match self.link.master.meaning(byte) {
            Meaning::Plain => self.input(&[byte]).await,
            Meaning::Signal { signal, echo } => {
                if echo {
                    let shown = [b'^', byte ^ 0x40];
                    self.link.stream.lock().output_bytes(&shown);
                }
                let handling = self.handling(signal);
                let group = self.signal_foreground(signal);
                self.report_again();
                self.see_to_signal(signal, group, handling).await;
                Ok(())
            }
        }
    }

    /// The foreground process group, if its leader handles the signal. It cannot miss it, but may on its way out look
    /// like one that never got it: Python gives up its handlers before it ends.
    fn handling(&self, signal: Signal) -> Option<Pid> {
        let group = self.link.master.foreground()?;
        let pid = group.as_raw_nonzero().get();
        dying::handles(pid, signal.as_raw(), self.link.tree.pid()).then_some(group)
    }

    /// Signals the terminal's foreground process group, and says which that was.
    pub(crate) fn signal_foreground(&self, signal: Signal) -> Option<Pid> {
        // A group that ends in between is replaced by the next one; a few tries meet one that is there.
        for _ in 0..3 {
            let group = self.link.master.foreground()?;
            if kill_process_group(group, signal).is_ok() {
                return Some(group);
            }
        }
        None
    }

    /// Sees to it that a signal was not lost on the way: bash may have had it while it was about to give the
    /// terminal to a program, or the program while it was still being started and not itself yet.
    /// Not if the group `handling` got it.
    async fn see_to_signal(&self, signal: Signal, mut got: Option<Pid>, handling: Option<Pid>) {
        let bash = Pid::from_raw(self.link.tree.pid());
        for _ in 0..HANDOVER_TRIES {
            let mut changed = std::pin::pin!(self.link.changed.notified());
            changed.as_mut().enable();
            if !self.link.stream.lock().is_running() {
                return;
            }
            let foreground = self
                .link
                .master
                .foreground()
                .filter(|group| Some(*group) != bash);
            if let Some(group) = foreground {
                let pid = group.as_raw_nonzero().get();
                let missed = got == bash
                    || handling != Some(group) && dying::would_end(pid, signal.as_raw());
                if missed {
                    let _ = kill_process_group(group, signal);
                }
                got = Some(group);
            }
            let _ = tokio::time::timeout(HANDOVER, changed).await;
        }
    }

    /// The signal may have hit bash in its report, which is lost then: ask for another one.
    fn report_again(&self) {
        let number = self.link.stream.lock().running_number();
        if let Some(number) = number {
            let _ = self
                .link
                .control
                .try_write(&self.script.report(number, true));
        }
    }

    /// Whether bash itself, rather than a program it started, has the terminal.
    pub(crate) fn has_terminal(&self) -> bool {
        self.link.master.foreground() == Pid::from_raw(self.link.tree.pid())
    }

    /// What the running command has started so far.
    pub(crate) fn started(&self) -> Started {
        let began = self.state.lock().began;
        Started::since(began, self.link.tree.pid(), self.link.master.foreground())
    }

    /// Ends bash and everything it started.
    pub(crate) async fn kill(&self) {
        if let Err(error) = self.link.tree.kill().await {
            tracing::warn!(%error, "a shell's processes were not all ended");
        }
    }
}

/// Bash expects a descriptor 0 that waits.
fn blocking(fd: &OwnedFd) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(fd)?;
    rustix::fs::fcntl_setfl(fd, flags - rustix::fs::OFlags::NONBLOCK)?;
    Ok(())
}

fn program_name(pid: i32) -> String {
    std::fs::read_to_string(format!("/proc/{pid}/comm"))
        .map(|name| name.trim_end().to_owned())
        .unwrap_or_default()
}

/// Whether a short report would not do, as far as can be seen beforehand.
fn wants_full(text: &str, known: &Report) -> bool {
    !known.jobs.is_empty()
        || known.traps
        || !known.prompt_command.is_empty()
        || known.flags.contains(['e', 'x', 'v'])
        || ["set", "trap", "PS", "PROMPT", "history"]
            .iter()
            .any(|sign| text.contains(sign))
        || text.replace("&&", "").replace(">&", "").contains('&')
}

//! What is known of the running command from the terminal and from the control socket, and when it has ended.
//!
//! Pure state: bytes and reports come in, and an end comes out. A report comes on another way than the output,
//! so its owner reads what the terminal still holds before it ends the command.

use std::path::PathBuf;

use tokio::time::Instant;

use super::capture::Capture;
use super::marks::{MarkFilter, Piece, Token};
use super::notices::current;
use super::preview::Preview;
use super::report::Report;
use super::script::REPORT;
use crate::exit::Exit;

/// What the shell says after a command is looked at as a whole up to this size.
const MAX_AFTER_BYTES: usize = 64 << 10;

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The shell went on.
    Reported(Box<Report>),
    /// The shell went with it.
    Died(Exit),
}

/// What a report told.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// Nothing about the running command.
    Nothing,
    /// Less than is wanted: a full report is to follow.
    NotAll,
    /// Everything. How often it did so before, and the jobs there are.
    All(u32, Vec<i32>),
}

#[derive(Debug)]
pub(crate) struct Stream {
    cap: usize,
    filter: MarkFilter,
    /// Output of the running command, or since the last one.
    capture: Capture,
    /// What the shell said after the running command's own output.
    after: Option<Vec<u8>>,
    running: Option<Running>,
    finished: Option<Capture>,
    ended: Option<Ended>,
    died: Option<Exit>,
    last_output: Instant,
    /// Whether notices about jobs of earlier commands are to be left out of what is shown.
    preview: Preview,
}

#[derive(Debug)]
struct Running {
    number: u64,
    mentions_exit: bool,
    mentions_kill: bool,
    status: Option<u8>,
    report: Option<Box<Report>>,
    times_told: u32,
    last_background: Option<i32>,
    /// The directory before the command, unless that may set `PWD` itself.
    directory: Option<PathBuf>,
}

impl Running {
    /// Whether there may be jobs, or something that would show or run while the shell is idle.
    fn wants_more(&self, report: &Report) -> bool {
        let stopped = (128 + 19..=128 + 22).contains(&report.status);
        stopped
            || report.restless
            || report.flags.contains(['x', 'v'])
            || report.last_background != self.last_background
    }
}

impl Stream {
    pub(crate) fn new(cap: usize, token: &Token, preview: Preview) -> Self {
        Self {
            cap,
            filter: MarkFilter::new(token),
            capture: Capture::new(cap),
            after: None,
            running: None,
            finished: None,
            ended: None,
            died: None,
            last_output: Instant::now(),
            preview,
        }
    }

    /// A command begins. What was printed since the last one counts as its output, as on a terminal. A given
    /// `status` counts instead of the reported one.
    pub(crate) fn begin(&mut self, number: u64, text: &str, status: Option<u8>, known: &Report) {
        self.finished = None;
        self.ended = None;
        self.after = None;
        self.last_output = Instant::now();
        self.running = Some(Running {
            number,
            mentions_exit: text.contains("exit") || text.contains("logout"),
            mentions_kill: text.contains("kill"),
            status,
            report: None,
            times_told: 0,
            last_background: known.last_background,
            directory: (!text.contains("PWD")).then(|| known.directory.clone()),
        });
    }

    pub(crate) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Whether a command has ended and nobody has asked yet.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    pub(crate) fn running_number(&self) -> Option<u64> {
        self.running.as_ref().map(|running| running.number)
    }

    /// Whether the running command may have ended jobs.
    pub(crate) fn expects_deaths(&self) -> bool {
        self.running
            .as_ref()
            .is_some_and(|running| running.mentions_kill)
    }

    /// Whether the shell's directory may not be what `PWD` says: it changed, or the command speaks of it.
    pub(crate) fn may_have_moved(&self, report: &Report) -> bool {
        let still = self
            .running
            .as_ref()
            .and_then(|running| running.directory.as_deref());
        still != Some(report.directory.as_path())
    }

    pub(crate) fn died(&self) -> Option<Exit> {
        self.died
    }

    pub(crate) fn last_output(&self) -> Instant {
        self.last_output
    }

    pub(crate) fn take_ended(&mut self) -> Option<Ended> {
        self.ended.take()
    }

    /// The output so far of the running command, or that of the last one.
    pub(crate) fn output(&self) -> Option<&Capture> {
        match self.running {
            Some(_) => Some(&self.capture),
            None => self.finished.as_ref(),
        }
    }

    /// Gives the last command's output away.
    pub(crate) fn take_finished(&mut self) -> Option<Capture> {
        self.finished.take()
    }

    pub(crate) fn set_finished(&mut self, finished: Option<Capture>) {
        self.finished = finished;
    }

    /// Forgets what was printed so far, such as by start-up files.
    pub(crate) fn discard(&mut self) {
        self.capture = Capture::new(self.cap);
        self.finished = None;
    }

    /// Bytes from the terminal.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let mut filter = std::mem::replace(&mut self.filter, MarkFilter::nothing());
        filter.feed(bytes, |piece| match piece {
            Piece::Output(bytes) => self.output_bytes(bytes),
            Piece::Mark(mark) => {
                if self.running_number() == Some(mark.0) {
                    self.after = Some(Vec::new());
                }
            }
        });
        self.filter = filter;
    }

    /// Output, from the terminal or not, such as a key's echo.
    pub(crate) fn output_bytes(&mut self, bytes: &[u8]) {
        if self.running.is_none() {
            self.capture.push(bytes);
            return;
        }
        self.last_output = Instant::now();
        self.preview.show(bytes);
        match &mut self.after {
            Some(after) if after.len() + bytes.len() <= MAX_AFTER_BYTES => {
                after.extend_from_slice(bytes);
            }
            _ => self.capture.push(bytes),
        }
    }

    /// A report from the control socket. One of another command is a leftover of an interrupted line.
    pub(crate) fn report(&mut self, mut report: Report) -> Told {
        let Some(running) = self
            .running
            .as_mut()
            .filter(|running| running.number == report.command)
        else {
            return Told::Nothing;
        };
        match running.report.take() {
            // The first one has the command's status; others follow to tell the rest.
            Some(first) => {
                report.status = first.status;
                report.pipe_status = first.pipe_status;
            }
            None => report.status = running.status.unwrap_or(report.status),
        }
        let jobs = report.jobs.clone();
        let told = if report.full || !running.wants_more(&report) {
            {
                running.times_told += 1;
                Told::All(running.times_told - 1, jobs)
            }
        } else {
            Told::NotAll
        };
        running.report = Some(Box::new(report));
        told
    }

    /// What the shell says from now on is about the running command, not its output.
    pub(crate) fn shell_speaks(&mut self) {
        self.after.get_or_insert_default();
    }

    /// Ends the command with the report that is there.
    pub(crate) fn end(&mut self) {
        let Some(report) = self
            .running
            .as_mut()
            .and_then(|running| running.report.take())
        else {
            return;
        };
        // What looked like the start of a mark was none.
        let held = self.filter.flush();
        self.output_bytes(&held);
        let prompt = with_carriage_returns(&report.prompt);
        let traced = report.traps || report.flags.contains(['x', 'v']);
        match self.after.take() {
            Some(mut after) => {
                if traced {
                    strip_trace(&mut after);
                }
                strip_prompt(&mut after, &prompt);
                let kept = current(&after);
                self.capture.push(&kept);
            }
            None => self.capture.edit_end(|recent| {
                if traced {
                    strip_trace(recent);
                }
                strip_prompt(recent, &prompt);
            }),
        }
        if !prompt.is_empty() {
            self.capture.edit_whole(|output| {
                if output.starts_with(&prompt) {
                    output.drain(..prompt.len());
                }
            });
        }
        self.finish(Ended::Reported(report));
    }

    /// The shell's process is gone, and everything it had printed is here.
    pub(crate) fn shell_died(&mut self, exit: Exit) {
        self.died = Some(exit);
        let held = self.filter.flush();
        self.output_bytes(&held);
        let Some(running) = &self.running else {
            return;
        };
        if let Some(after) = self.after.take() {
            self.capture.push(&after);
        }
        // An interactive bash says what it does when it is told to exit.
        if running.mentions_exit && matches!(exit, Exit::Code(_)) {
            self.capture.remove_last(b"exit\r\n");
        }
        self.finish(Ended::Died(exit));
    }

    fn finish(&mut self, ended: Ended) {
        self.finished = Some(std::mem::replace(&mut self.capture, Capture::new(self.cap)));
        self.running = None;
        self.ended = Some(ended);
    }
}

/// A prompt that cannot be unset is printed before the report, and again after it: at this command's end or at the
/// start of the next one.
fn strip_prompt(output: &mut Vec<u8>, prompt: &[u8]) {
    for _ in 0..3 {
        if !prompt.is_empty() && output.ends_with(prompt) {
            output.truncate(output.len() - prompt.len());
        }
    }
}

/// A trace, or a trap, tells of our own line as well; nothing of the command comes after it.
fn strip_trace(output: &mut Vec<u8>) {
    if let Some(at) = memchr::memmem::find(output, REPORT.as_bytes()) {
        let line = output
            .get(..at)
            .and_then(|before| memchr::memrchr(b'\n', before));
        output.truncate(line.map_or(0, |end| end + 1));
    }
}

/// What the terminal driver makes of line ends.
fn with_carriage_returns(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        if *byte == b'\n' {
            out.push(b'\r');
        }
        out.push(*byte);
    }
    out
}

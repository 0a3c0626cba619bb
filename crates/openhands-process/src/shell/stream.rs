//! What is known of the running command from the terminal and from the control socket, and when it has ended.
//!
//! Pure state: bytes and reports come in, and an end comes out. A command has ended when both its report
//! and its end mark are there, because the two travel on different ways.

use bytes::Bytes;
use tokio::sync::broadcast;
use tokio::time::Instant;

use super::capture::Capture;
use super::marks::{MarkFilter, Piece, Place, Token};
use super::notices::relevant;
use super::report::Report;
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

/// What a step of the stream asks of its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Nothing,
    /// The command has ended, if no job of this list is about to end: then its notice belongs to the command.
    Settle(Vec<i32>),
    /// The command has ended.
    Ended,
}

#[derive(Debug)]
pub(crate) struct Stream {
    cap: usize,
    filter: MarkFilter,
    /// Output of the running command, or since the last one.
    capture: Capture,
    /// Output after the running command's end mark.
    next: Option<Capture>,
    /// What the shell said after the running command's own output.
    after: Option<Vec<u8>>,
    running: Option<Running>,
    finished: Option<Capture>,
    ended: Option<Ended>,
    died: Option<Exit>,
    last_output: Instant,
    preview: broadcast::Sender<Bytes>,
}

#[derive(Debug)]
struct Running {
    number: u64,
    mentions_exit: bool,
    status: Option<u8>,
    end_seen: bool,
    report: Option<Box<Report>>,
    settled: bool,
}

impl Stream {
    pub(crate) fn new(cap: usize, token: &Token, preview: broadcast::Sender<Bytes>) -> Self {
        Self {
            cap,
            filter: MarkFilter::new(token),
            capture: Capture::new(cap),
            next: None,
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
    pub(crate) fn begin(&mut self, number: u64, mentions_exit: bool, status: Option<u8>) {
        self.finished = None;
        self.ended = None;
        self.after = None;
        self.last_output = Instant::now();
        self.running = Some(Running {
            number,
            mentions_exit,
            status,
            end_seen: false,
            report: None,
            settled: false,
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
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Step {
        let mut filter = std::mem::replace(&mut self.filter, MarkFilter::nothing());
        let mut step = Step::Nothing;
        filter.feed(bytes, |piece| match piece {
            Piece::Output(bytes) => self.output_bytes(bytes),
            Piece::Mark(mark) => {
                if self.running_number() == Some(mark.command) {
                    match mark.place {
                        Place::CommandDone => self.after = Some(Vec::new()),
                        Place::End => {
                            if let Some(running) = &mut self.running {
                                running.end_seen = true;
                            }
                            step = self.try_end();
                        }
                    }
                }
            }
        });
        self.filter = filter;
        step
    }

    /// Output that did not come from the terminal, such as a key's echo.
    pub(crate) fn output_bytes(&mut self, bytes: &[u8]) {
        if self.running.is_none() {
            self.capture.push(bytes);
            return;
        }
        self.last_output = Instant::now();
        if self.preview.receiver_count() > 0 {
            // A subscriber that is behind loses the oldest pieces, and is told how many.
            let _ = self.preview.send(Bytes::copy_from_slice(bytes));
        }
        if self
            .running
            .as_ref()
            .is_some_and(|running| running.end_seen)
        {
            let cap = self.cap;
            self.next
                .get_or_insert_with(|| Capture::new(cap))
                .push(bytes);
            return;
        }
        match &mut self.after {
            Some(after) if after.len() + bytes.len() <= MAX_AFTER_BYTES => {
                after.extend_from_slice(bytes);
            }
            _ => self.capture.push(bytes),
        }
    }

    /// A report from the control socket. One of another command is a leftover of an interrupted line.
    pub(crate) fn report(&mut self, mut report: Report) -> Step {
        match &mut self.running {
            Some(running) if running.number == report.command => {
                // The first one has the command's status; a second one follows only to settle.
                if running.report.is_none() {
                    report.status = running.status.unwrap_or(report.status);
                    running.report = Some(Box::new(report));
                }
                self.try_end()
            }
            _ => Step::Nothing,
        }
    }

    fn try_end(&mut self) -> Step {
        let Some(Running {
            end_seen: true,
            report: Some(report),
            settled,
            ..
        }) = &mut self.running
        else {
            return Step::Nothing;
        };
        if !*settled && !report.jobs.is_empty() {
            return Step::Settle(report.jobs.clone());
        }
        self.end()
    }

    /// A job is ending: the command lasts until the next end mark.
    pub(crate) fn extend(&mut self) {
        if let Some(running) = &mut self.running {
            running.end_seen = false;
            running.settled = true;
        }
        let mut after = self.after.take().unwrap_or_default();
        if let Some(next) = self.next.take() {
            after.extend(next.snapshot().head);
        }
        self.after = Some(after);
    }

    /// Ends the command with the report that is there.
    pub(crate) fn end(&mut self) -> Step {
        let Some(report) = self
            .running
            .as_mut()
            .and_then(|running| running.report.take())
        else {
            return Step::Nothing;
        };
        let prompt = with_carriage_returns(&report.prompt);
        match self.after.take() {
            Some(mut after) => {
                if after.ends_with(&prompt) {
                    after.truncate(after.len() - prompt.len());
                }
                let kept = relevant(&after, self.capture.recent());
                self.capture.push(&kept);
            }
            None => self.capture.strip_suffix(&prompt),
        }
        self.finish(Ended::Reported(report));
        Step::Ended
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
        let next = self.next.take().unwrap_or_else(|| Capture::new(self.cap));
        self.finished = Some(std::mem::replace(&mut self.capture, next));
        self.running = None;
        self.ended = Some(ended);
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

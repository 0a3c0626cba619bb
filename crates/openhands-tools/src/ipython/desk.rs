//! Where what a kernel says is sorted: to the cell that runs, or to the one that runs next.

use super::output::{Collected, Limits, Shown};
use super::wire::Received;
use crate::executor::OutputSink;
use bytes::Bytes;
use jupyter_protocol::{
    ExecuteReply, ExecutionState, JupyterMessageContent as Content, Media, Payload, ReplyStatus,
};
use openhands_process::HeadTail;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// How much of what earlier cells print after their end is kept for the next one.
const MAX_LATE: usize = 64 << 10;

/// What the kernel answered to a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reply {
    /// The class of the exception that ended the cell.
    pub(crate) error: Option<String>,
    /// Whether the cell asked the kernel to end.
    pub(crate) exits: bool,
}

/// A request that the kernel works on.
#[derive(Debug)]
struct Running {
    id: String,
    output: Collected,
    sink: OutputSink,
    /// Whether anyone sees its output.
    shown: bool,
    reply: Option<Reply>,
    idle: bool,
}

#[derive(Debug)]
struct State {
    running: Option<Running>,
    /// Printed by earlier cells after their end, by threads of theirs.
    late: HeadTail,
    /// The request that was given up; what it still prints is of no interest.
    given_up: Option<String>,
    /// Whether the kernel has started: what it prints before is not the user's.
    started: bool,
}

/// Readers of the kernel's sockets put messages here; the one who runs a cell waits here.
#[derive(Debug)]
pub(crate) struct Desk {
    state: Mutex<State>,
    changed: Notify,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self {
            state: Mutex::new(State {
                running: None,
                late: HeadTail::new(MAX_LATE),
                given_up: None,
                started: false,
            }),
            changed: Notify::new(),
        }
    }

    /// From now on, what the kernel prints between requests is kept.
    pub(crate) fn set_started(&self) {
        self.state.lock().started = true;
    }

    /// Whether a request is on its way whose end nobody saw.
    pub(crate) fn is_busy(&self) -> bool {
        self.state.lock().running.is_some()
    }

    /// Begins a request whose output is shown to the user.
    pub(crate) fn begin_cell(&self, id: &str, limits: Limits, sink: OutputSink) {
        let mut state = self.state.lock();
        let mut output = Collected::new(limits);
        if !state.late.is_empty() {
            let late = state.late.join(|_| b"\n[...]\n".to_vec());
            output.print(&String::from_utf8_lossy(&late));
            state.late.clear();
        }
        state.begin(id, output, sink, true);
    }

    /// Begins a request of our own, whose output nobody sees.
    pub(crate) fn begin_quietly(&self, id: &str) {
        // An error's text is enough to find out what went wrong.
        let limits = Limits {
            text: 16 << 10,
            images: 0,
        };
        let mut state = self.state.lock();
        state.begin(id, Collected::new(limits), OutputSink::none(), false);
    }

    /// Waits until the kernel has answered the request and said that it is idle again: then nothing more comes.
    pub(crate) async fn finished(&self) -> Reply {
        loop {
            let changed = self.changed.notified();
            if let Some(reply) = self.state.lock().outcome() {
                return reply;
            }
            changed.await;
        }
    }

    /// Ends the request, and hands out what it has shown.
    pub(crate) fn end(&self) -> Shown {
        let mut state = self.state.lock();
        let Some(running) = state.running.take() else {
            return Shown::default();
        };
        if !(running.idle && running.reply.is_some()) {
            state.given_up = Some(running.id);
        }
        drop(state);
        running.output.finish()
    }

    /// A message of the shell channel. Whatever answers the request is its reply.
    pub(crate) fn replied(&self, message: Received) {
        let mut state = self.state.lock();
        let Some(running) = state.running_for(&message.parent) else {
            return;
        };
        running.reply = Some(match message.content {
            Content::ExecuteReply(reply) => read(&reply),
            _ => Reply::default(),
        });
        drop(state);
        self.changed.notify_waiters();
    }

    /// A message of the iopub channel.
    pub(crate) fn published(&self, message: Received) {
        let mut state = self.state.lock();
        let own = state.running_for(&message.parent).is_some();
        match message.content {
            Content::Status(status) if own => {
                if let Some(running) = &mut state.running
                    && matches!(status.execution_state, ExecutionState::Idle)
                {
                    running.idle = true;
                }
            }
            Content::StreamContent(stream) => state.print(&message.parent, &stream.text),
            content if own => {
                if let Some(running) = &mut state.running {
                    running.show(content);
                }
                return;
            }
            _ => return,
        }
        drop(state);
        self.changed.notify_waiters();
    }
}

impl State {
    fn begin(&mut self, id: &str, output: Collected, sink: OutputSink, shown: bool) {
        self.running = Some(Running {
            id: id.to_owned(),
            output,
            sink,
            shown,
            reply: None,
            idle: false,
        });
    }

    fn running_for(&mut self, id: &str) -> Option<&mut Running> {
        self.running.as_mut().filter(|running| running.id == id)
    }

    fn outcome(&self) -> Option<Reply> {
        let running = self.running.as_ref()?;
        running.reply.clone().filter(|_| running.idle)
    }

    /// Printed text belongs to the cell that runs, also if a thread of an earlier cell prints it.
    fn print(&mut self, parent: &str, text: &str) {
        match &mut self.running {
            Some(running) if running.shown || running.id == parent => {
                running.push(text);
            }
            _ if !self.started || self.given_up.as_deref() == Some(parent) => {}
            _ => self.late.push(text.as_bytes()),
        }
    }
}

impl Running {
    fn push(&mut self, text: &str) {
        self.output.print(text);
        self.tell(text);
    }

    fn tell(&self, text: &str) {
        if self.sink.is_watched() {
            self.sink.push(Bytes::copy_from_slice(text.as_bytes()));
        }
    }

    /// Adds what the cell displays, its value, or its exception.
    fn show(&mut self, content: Content) {
        match content {
            Content::ExecuteResult(result) => {
                let id = result.transient.and_then(|transient| transient.display_id);
                self.display(&result.data, id);
            }
            Content::DisplayData(display) => {
                let id = display.transient.and_then(|transient| transient.display_id);
                self.display(&display.data, id);
            }
            Content::UpdateDisplayData(update) => {
                if let Some(id) = update.transient.display_id {
                    self.output.update(&update.data, &id);
                }
            }
            Content::ClearOutput(clear) => self.output.clear(clear.wait),
            Content::ErrorOutput(error) => self.push(&error.traceback.join("\n")),
            _ => {}
        }
    }

    fn display(&mut self, data: &Media, id: Option<String>) {
        if let Some(text) = super::output::plain(data) {
            self.tell(text);
        }
        self.output.display(data, id);
    }
}

fn read(reply: &ExecuteReply) -> Reply {
    let failed = !matches!(reply.status, ReplyStatus::Ok);
    let name = reply.error.as_ref().map(|error| error.ename.clone());
    Reply {
        error: failed.then(|| name.unwrap_or_else(|| "Error".to_owned())),
        exits: reply
            .payload
            .iter()
            .any(|payload| matches!(payload, Payload::AskExit { keepkernel } if !keepkernel)),
    }
}

#[cfg(test)]
#[path = "desk_tests.rs"]
mod tests;

//! Splits a body into server-sent events.

use crate::error::{Cause, LlmError};

/// No event of a model is this long; more is a server that never ends one.
const MAX_EVENT_BYTES: usize = 64 << 20;

/// A body that is being split.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// What has arrived of a line that is not complete.
    line: Vec<u8>,
    /// Data of an event that is not complete.
    data: String,
    has_data: bool,
    /// A line ended in a carriage return: a newline that follows belongs to it.
    after_return: bool,
}

impl Events {
    /// Takes more of the body, and adds the data of the events that it completes.
    pub(super) fn push(&mut self, bytes: &[u8], events: &mut Vec<String>) -> Result<(), LlmError> {
        for byte in bytes {
            match byte {
                b'\n' if std::mem::take(&mut self.after_return) => {}
                b'\n' | b'\r' => {
                    self.after_return = *byte == b'\r';
                    self.end_line(events);
                }
                other => {
                    self.after_return = false;
                    self.line.push(*other);
                }
            }
        }
        if self.line.len() + self.data.len() > MAX_EVENT_BYTES {
            return Err(LlmError::classify(
                Cause::Connection,
                "The provider's stream has an event without an end.",
            ));
        }
        Ok(())
    }

    /// The body has ended. Some servers leave out the blank line after the last event.
    pub(super) fn finish(&mut self, events: &mut Vec<String>) {
        self.end_line(events);
        self.end_event(events);
    }

    fn end_line(&mut self, events: &mut Vec<String>) {
        if self.line.is_empty() {
            self.end_event(events);
            return;
        }
        let line = std::mem::take(&mut self.line);
        // Bytes that are no text become marks: the reader of the data says what it thinks of them.
        let line = String::from_utf8_lossy(&line);
        // The name of the event is also in the data, and comments only keep the connection open.
        if let Some(data) = line.strip_prefix("data:") {
            if std::mem::replace(&mut self.has_data, true) {
                self.data.push('\n');
            }
            self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
        }
    }

    fn end_event(&mut self, events: &mut Vec<String>) {
        if std::mem::take(&mut self.has_data) {
            events.push(std::mem::take(&mut self.data));
        }
    }
}

#[cfg(test)]
#[path = "sse_tests.rs"]
mod tests;

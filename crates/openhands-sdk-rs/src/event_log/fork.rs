//! Forking: a new log that starts as a copy of this one, or of one of its branches.

use openhands_protocol::EventId;

use crate::event_log::log::Inner;
use crate::event_log::{EventLog, Head, LogError};

impl EventLog {
    /// Copies the whole log, or the branch that ends at an event, into an empty log. Ids, parents and bytes stay
    /// the same; the head of the copy is the head of this log, or the event. Unreadable events are left out.
    pub async fn fork_into(&self, copy: &Self, up_to: Option<&EventId>) -> Result<(), LogError> {
        let (positions, head) = match up_to {
            Some(id) => (self.branch(id, None)?, Head::At(id.clone())),
            None => ((0..self.len()).collect(), self.head()),
        };
        let target = copy.clone();
        self.blocking(move |inner| inner.copy_to(&target.inner, &positions, head))
            .await
    }
}

impl Inner {
    fn copy_to(&self, target: &Self, positions: &[u64], head: Head) -> Result<(), LogError> {
        for index in positions {
            if let Some(event) = self.load(*index) {
                target.append_copy(event.id().clone(), event.json().clone())?;
            }
        }
        let _writer = target.writer.lock();
        *target.head.lock() = head;
        Ok(())
    }
}

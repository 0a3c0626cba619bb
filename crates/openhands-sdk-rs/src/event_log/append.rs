//! Appending: the only way in which a log changes.

use std::sync::Arc;

use bytes::Bytes;
use openhands_protocol::{Event, EventId, Form, RawUnion};
use serde_json::Value;

use crate::event_log::head::advances_head;
use crate::event_log::header::Header;
use crate::event_log::index_file;
use crate::event_log::log::{Inner, Records, Writer};
use crate::event_log::open::extend;
use crate::event_log::{EventLog, Head, LogError, StoreError, StoredEvent};

/// How often an append starts again because another process was faster. One that is faster this often is
/// not sharing the log but fighting for it.
const ATTEMPTS: usize = 8;

/// More watchers than this are a crowd.
const FEW: usize = 4;

/// When watchers are shown what was appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Showing {
    /// What is waited for at once, and updates of the state behind it when they are stored, too. A crowd sees all of it together: each sight is
    /// a turn of a task and a frame for each of them.
    Now,
    /// With the next event, with what is sent beside the log, or when a [`ShowLater`] is dropped.
    Later,
}

/// Shows watchers all that was appended when it is dropped.
#[must_use = "it shows when it is dropped"]
pub(crate) struct ShowLater(Arc<Inner>);

impl Drop for ShowLater {
    fn drop(&mut self) {
        self.0.show();
    }
}

impl EventLog {
    /// Appends an event. It is stored when this returns; only then does anyone see it.
    ///
    /// An event without parent is attached to the head. Every kind but a state update moves the head. Once
    /// begun, an append is finished even if the caller goes away.
    pub async fn append(&self, event: Event) -> Result<Arc<StoredEvent>, LogError> {
        self.short(move |inner| inner.append(event)).await
    }

    /// Appends several events in one go: one way to a thread that may block. Those before the first one that fails are stored.
    /// `stored_all` is called when all of them are, before anyone sees the last of them. With [`Showing::Later`] the caller has to say when that is.
    pub(crate) async fn append_all(
        &self,
        events: Vec<Event>,
        showing: Showing,
        stored_all: impl FnOnce() + Send + 'static,
    ) -> Result<(Vec<Arc<StoredEvent>>, Result<(), LogError>), LogError> {
        self.short(move |inner| {
            let mut stored = Vec::with_capacity(events.len());
            let mut writer = inner.writer.lock();
            inner.store.hold(events.len() as u64)?;
            let mut all = Ok(());
            let shows_twice = showing == Showing::Now && inner.progress.receiver_count() <= FEW;
            let told = events
                .iter()
                .rposition(|event| !matches!(event, Event::StateUpdate(_)))
                .filter(|_| shows_twice);
            for (at, event) in events.into_iter().enumerate() {
                match inner.append_unseen(&mut writer, event) {
                    Ok(event) => {
                        stored.push(event);
                        if told == Some(at) {
                            inner.show();
                        }
                    }
                    Err(error) => {
                        all = Err(error);
                        break;
                    }
                }
            }
            inner.store.release();
            if all.is_ok() {
                stored_all();
            }
            if showing != Showing::Later {
                inner.show();
            }
            Ok((stored, all))
        })
        .await
    }

    /// Shows watchers all that was appended.
    pub(crate) fn show(&self) {
        self.inner.show();
    }

    /// Shows watchers all that was appended, when what it returns is dropped.
    pub(crate) fn show_later(&self) -> ShowLater {
        ShowLater(Arc::clone(&self.inner))
    }

    /// Appends an event, on the calling thread.
    pub fn append_blocking(&self, event: Event) -> Result<Arc<StoredEvent>, LogError> {
        self.inner.append(event)
    }
}

impl Inner {
    fn append(&self, event: Event) -> Result<Arc<StoredEvent>, LogError> {
        let mut writer = self.writer.lock();
        let stored = self.append_unseen(&mut writer, event);
        self.show();
        stored
    }

    /// Lets watchers see what was appended.
    fn show(&self) {
        let len = self.index.read().len();
        self.progress.send_if_modified(|progress| {
            let is_new = progress.len != len;
            progress.len = len;
            is_new
        });
    }

    /// Stores an event. Watchers do not see it yet.
    fn append_unseen(
        &self,
        writer: &mut Writer,
        mut event: Event,
    ) -> Result<Arc<StoredEvent>, LogError> {
        let id = event
            .id()
            .filter(|id| *id != EventId::ROOT)
            .ok_or(LogError::NoId)?;
        refuse_transient(&event)?;
        let chosen = event.parent_id();
        for _ in 0..ATTEMPTS {
            let parent = self.parent_for(&id, chosen.clone())?;
            if parent != event.parent_id() {
                set_parent(&mut event, parent);
            }
            let mut json = Form::SOCKET.to_vec(&event).map_err(LogError::Unwritable)?;
            // It is kept for long, and what has no room to spare is shared without a block of its own for the count.
            json.shrink_to_fit();
            let json = Bytes::from(json);
            let header = Header::of(&event);
            let mut decoded = Some(event);
            match self.add(writer, id.clone(), header, json, &mut decoded) {
                Err(LogError::Store(StoreError::Behind { .. })) => {
                    self.catch_up(writer)?;
                    event = decoded.ok_or(LogError::NoId)?;
                }
                Err(error) => return Err(error),
                Ok(stored) => return Ok(stored),
            }
        }
        Err(LogError::Store(StoreError::Behind {
            index: self.index.read().len(),
        }))
    }

    /// Stores an event as it is, for a fork: parent and head stay.
    pub(crate) fn append_copy(&self, id: EventId, json: Bytes) -> Result<(), LogError> {
        let header = Header::peek(&json).unwrap_or_default();
        let mut writer = self.writer.lock();
        self.refuse_known(&id)?;
        self.add(&mut writer, id, header, json, &mut None)?;
        self.show();
        Ok(())
    }

    /// Stores and indexes one event. A decoded event is a new one, which moves the head, and is taken
    /// only if it could be stored; without one it is a copy.
    fn add(
        &self,
        writer: &mut Writer,
        id: EventId,
        header: Header,
        json: Bytes,
        decoded: &mut Option<Event>,
    ) -> Result<Arc<StoredEvent>, LogError> {
        if self.progress.borrow().closed {
            return Err(LogError::Closed);
        }
        let (at, entry) = {
            let index = self.index.read();
            (index.len(), index.entry(id.clone(), Ok(header)))
        };
        self.store.append(at, &id, &json)?;
        if let Records::Add(records) = &mut writer.records {
            index_file::put_entry(records, at, &entry);
        }
        let stored = Arc::new(match decoded.take() {
            Some(event) => {
                if advances_head(event.kind()) {
                    *self.head.lock() = Head::At(id.clone());
                }
                StoredEvent::written(at, id, json, event)
            }
            None => StoredEvent::read(at, id, json),
        });
        self.cache.lock().insert(stored.kept());
        self.index.write().push(entry);
        self.flush_full_index(writer);
        Ok(stored)
    }

    /// The parent that an event gets: its own, if it is known, else the head.
    fn parent_for(
        &self,
        id: &EventId,
        chosen: Option<EventId>,
    ) -> Result<Option<EventId>, LogError> {
        self.refuse_known(id)?;
        let index = self.index.read();
        match (chosen, &*self.head.lock()) {
            (Some(parent), _) if parent == EventId::ROOT || index.find(&parent).is_some() => {
                Ok(Some(parent))
            }
            (Some(parent), _) => Err(LogError::UnknownParent {
                id: id.clone(),
                parent,
            }),
            (None, Head::At(leaf)) => Ok(Some(leaf.clone())),
            (None, Head::Unset | Head::Empty) if index.len() == 0 => Ok(None),
            (None, Head::Unset | Head::Empty) => Ok(Some(EventId::new(EventId::ROOT))),
        }
    }

    fn refuse_known(&self, id: &EventId) -> Result<(), LogError> {
        match self.index.read().find(id) {
            Some(index) => Err(LogError::DuplicateId {
                id: id.clone(),
                index,
            }),
            None => Ok(()),
        }
    }

    /// Takes in what another process has added. The head stays: it belongs to this process's conversation.
    fn catch_up(&self, writer: &mut Writer) -> Result<(), LogError> {
        let listing = self.store.list()?;
        let mut problems = listing.problems;
        let mut index = self.index.write();
        let known = index.entries().iter().zip(&listing.ids);
        let same = known.filter(|(entry, id)| entry.id == **id).count() as u64;
        if same < index.len() {
            return Err(LogError::Diverged { index: same });
        }
        let before = index.len();
        extend(&*self.store, &mut index, &listing.ids, &mut problems);
        let len = index.len();
        if let Records::Add(records) = &mut writer.records {
            // The other writer may note them too: noted twice counts once.
            for at in before..len {
                if let Some(entry) = index.get(at) {
                    index_file::put_entry(records, at, entry);
                }
            }
        }
        drop(index);
        for problem in problems {
            self.report(problem);
        }
        self.show();
        Ok(())
    }
}

/// Refuses what is sent to watchers but never part of the log.
fn refuse_transient(event: &Event) -> Result<(), LogError> {
    match event {
        Event::StreamingDelta(_) | Event::ServerError(_) | Event::CondensationSummary(_) => {
            Err(LogError::NotStored(event.kind().to_owned()))
        }
        Event::StateUpdate(update) if update.is_full_state() => {
            Err(LogError::NotStored(format!("{} full_state", event.kind())))
        }
        Event::StateUpdate(_)
        | Event::Message(_)
        | Event::Action(_)
        | Event::Observation(_)
        | Event::SystemPrompt(_)
        | Event::AgentError(_)
        | Event::ConversationError(_)
        | Event::UserReject(_)
        | Event::Pause(_)
        | Event::Interrupt(_)
        | Event::Condensation(_)
        | Event::CondensationRequest(_)
        | Event::HookExecution(_)
        | Event::SecurityAnalysis(_)
        | Event::LlmCompletionLog(_)
        | Event::Token(_)
        | Event::AcpToolCall(_)
        | Event::Unknown(_) => Ok(()),
    }
}

/// Sets the parent, also of an event of unknown kind.
fn set_parent(event: &mut Event, parent: Option<EventId>) {
    if let Some(header) = event.header_mut() {
        header.parent_id = parent;
        return;
    }
    if let Event::Unknown(raw) = event {
        let kind = raw.kind().to_owned();
        let mut body = std::mem::take(raw).into_body();
        match parent {
            Some(parent) => {
                body.insert("parent_id".to_owned(), Value::String(parent.to_string()));
            }
            None => {
                body.shift_remove("parent_id");
            }
        }
        *raw = RawUnion::new(Event::TAG, kind, body);
    }
}

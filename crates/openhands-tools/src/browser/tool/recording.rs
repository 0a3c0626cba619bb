//! Recordings of what the window shows, which rrweb's player plays.
//!
//! A script in every document (`recorder.js`) tells of the document and its changes through a function that only its own
//! world has. The events of the tab that is shown are kept; they go into a file every five seconds, or sooner if they are many.

mod files;

use super::hands::Hands;
use crate::browser::{BrowserError, Heard, Tab};
use files::Files;
use parking_lot::Mutex;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

const RECORDER: &str = include_str!("recording/recorder.js");
/// The world of the recorder; it has the function that no other has.
const WORLD: &str = "openhands-recorder";
const FUNCTION: &str = "openhandsRecorded";
/// How often events go into a file.
const FLUSH: Duration = Duration::from_secs(5);
/// How many bytes of events go into a file at once.
const MAX_BYTES: usize = 1 << 20;
/// How long pages may take to tell the rest.
const END: Duration = Duration::from_secs(3);

/// A recording under way.
#[derive(Debug)]
pub(super) struct Recording {
    kept: Arc<Mutex<Kept>>,
    stop: CancellationToken,
    writing: AbortOnDropHandle<()>,
}

/// What is recorded and not yet in a file.
#[derive(Debug)]
struct Kept {
    /// The session of the tab that is recorded.
    session: String,
    events: Vec<String>,
    bytes: usize,
    files: Files,
}

impl Kept {
    /// Takes events that a page told.
    fn take(&mut self, heard: &Heard) {
        let payload = heard.params.get("payload").and_then(Value::as_str);
        let name = heard.params.get("name").and_then(Value::as_str);
        if name != Some(FUNCTION) || heard.session != self.session {
            return;
        }
        // Taken as they are: a page nests deeper than a parser of values follows.
        let events: Vec<Box<serde_json::value::RawValue>> =
            match serde_json::from_str(payload.unwrap_or("[]")) {
                Ok(events) => events,
                Err(error) => {
                    tracing::debug!(%error, "recorded events cannot be read");
                    return;
                }
            };
        for event in events {
            self.bytes += event.get().len();
            self.events.push(event.get().to_owned());
        }
    }
}

/// Writes what was recorded into the next file.
async fn write(kept: &Arc<Mutex<Kept>>) -> Result<(), BrowserError> {
    let kept = Arc::clone(kept);
    let written = tokio::task::spawn_blocking(move || {
        let mut kept = kept.lock();
        let events = std::mem::take(&mut kept.events);
        kept.bytes = 0;
        kept.files.write(&events)
    });
    written
        .await
        .map_err(std::io::Error::other)
        .flatten()
        .map_err(BrowserError::file("a recording"))
}

/// Keeps what pages tell until it is stopped, or nobody tells anything any more.
async fn keep(
    kept: Arc<Mutex<Kept>>,
    mut heard: mpsc::UnboundedReceiver<Heard>,
    stop: CancellationToken,
) {
    let mut flush = tokio::time::interval(FLUSH);
    flush.tick().await;
    loop {
        let is_due = tokio::select! {
            one = heard.recv() => match one {
                Some(one) => {
                    let mut kept = kept.lock();
                    kept.take(&one);
                    kept.bytes > MAX_BYTES
                }
                None => return,
            },
            _ = flush.tick() => true,
            () = stop.cancelled() => {
                while let Ok(one) = heard.try_recv() {
                    kept.lock().take(&one);
                }
                return;
            }
        };
        if is_due && let Err(error) = write(&kept).await {
            tracing::warn!(%error, "a part of a recording was not written");
        }
    }
}

impl Hands {
    /// Begins a recording.
    pub(super) async fn start_recording(&self) -> String {
        if self.recording.lock().is_some() {
            return "Already recording".to_owned();
        }
        match self.begin_recording().await {
            Ok(()) => "Recording started".to_owned(),
            Err(error) => format!("Error starting recording: {error}"),
        }
    }

    async fn begin_recording(&self) -> Result<(), BrowserError> {
        let tab = self.browser.active().await?;
        let recordings = self.recordings.clone();
        let files = tokio::task::spawn_blocking(move || Files::new(&recordings))
            .await
            .map_err(std::io::Error::other)
            .flatten()
            .map_err(BrowserError::file("a folder for the recording"))?;
        let kept = Arc::new(Mutex::new(Kept {
            session: tab.session.clone(),
            events: Vec::new(),
            bytes: 0,
            files,
        }));
        let stop = CancellationToken::new();
        let writing = self.keep_hearing(&kept, &stop).await?;
        self.browser.add_binding_in(WORLD, FUNCTION).await?;
        let script = format!("(\n{RECORDER})((events) => globalThis.{FUNCTION}(events))");
        self.browser.add_script_in(WORLD, &script).await?;
        *self.recording.lock() = Some(Recording {
            kept,
            stop,
            writing,
        });
        Ok(())
    }

    async fn keep_hearing(
        &self,
        kept: &Arc<Mutex<Kept>>,
        stop: &CancellationToken,
    ) -> Result<AbortOnDropHandle<()>, BrowserError> {
        let heard = self.browser.listen("Runtime.bindingCalled").await?;
        let keeping = keep(Arc::clone(kept), heard, stop.clone());
        Ok(AbortOnDropHandle::new(tokio::spawn(keeping)))
    }

    /// A browser that came back after a crash is heard again.
    async fn hear_again(&self) {
        let (kept, stop) = match &*self.recording.lock() {
            Some(recording) if recording.writing.is_finished() => {
                (Arc::clone(&recording.kept), recording.stop.clone())
            }
            _ => return,
        };
        if let Ok(writing) = self.keep_hearing(&kept, &stop).await
            && let Some(recording) = &mut *self.recording.lock()
        {
            recording.writing = writing;
        }
    }

    /// After an action: what it did is told now, since a page that is left may not get to tell it. If another tab is shown,
    /// the recording goes on with a whole picture of that one.
    pub(super) async fn follow_recording(&self) {
        let kept = match &*self.recording.lock() {
            Some(recording) => Arc::clone(&recording.kept),
            None => return,
        };
        let Ok(tab) = self.browser.active().await else {
            return;
        };
        self.hear_again().await;
        let is_new =
            std::mem::replace(&mut kept.lock().session, tab.session.clone()) != tab.session;
        let wanted = if is_new {
            "globalThis.openhandsRecorder?.snapshot()"
        } else {
            "globalThis.openhandsRecorder?.flush()"
        };
        // A page that hangs does not hold up the answer.
        let _ = tokio::time::timeout(END, tell(&tab, wanted)).await;
    }

    /// Ends a recording, and says what there is of it.
    pub(super) async fn stop_recording(&self) -> String {
        match self.end_recording().await {
            None => "Error: Not recording. Call browser_start_recording first.".to_owned(),
            Some(Ok(text)) => text,
            Some(Err(error)) => format!("Error stopping recording: {error}"),
        }
    }

    pub(super) async fn end_recording(&self) -> Option<Result<String, BrowserError>> {
        let recording = self.recording.lock().take()?;
        // A browser that has ended is not started for this.
        if self.browser.is_running().await {
            let _ = tokio::time::timeout(END, self.silence()).await;
        }
        let Recording {
            kept,
            stop,
            writing,
        } = recording;
        stop.cancel();
        if let Err(error) = writing.await {
            tracing::debug!(%error, "a recording ended early");
        }
        let written = write(&kept).await;
        Some(written.map(|()| kept.lock().files.summary()))
    }

    /// Lets every recorder tell the rest and end. What it tells is heard before the answer to what it is asked.
    async fn silence(&self) -> Result<(), BrowserError> {
        for tab in self.browser.tabs().await? {
            tell(&tab, "globalThis.openhandsRecorder?.stop()").await;
        }
        self.forget_scripts();
        self.browser.clear_scripts().await
    }
}

/// Asks the recorder of a tab for something.
async fn tell(tab: &Tab, expression: &str) {
    let told = async {
        let world = tab
            .named_world(&tab.session, tab.target_id(), WORLD)
            .await?;
        let expression = format!("{expression}; null");
        tab.evaluate_isolated::<Value>(&world, &expression).await
    };
    if let Err(error) = told.await {
        tracing::debug!(%error, "a recorder does not answer");
    }
}

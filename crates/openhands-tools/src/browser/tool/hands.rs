//! What the browser tools share: the browser, the numbers of its elements, what is to be told, the recording.

use super::recording::Recording;
use crate::browser::elements::Numbers;
use crate::browser::{Browser, BrowserError, BrowserSettings, Note, Tab, Underway};
use openhands_protocol::tool::{Action, ScrollDirection};
use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long what an action has begun may take until it is told as it is.
pub(super) const SETTLE: Duration = Duration::from_secs(10);

/// What a call is answered with.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) text: String,
    /// A picture in base64.
    pub(super) picture: Option<String>,
}

impl From<String> for Answer {
    fn from(text: String) -> Self {
        Self {
            text,
            picture: None,
        }
    }
}

/// The browser of one conversation.
#[derive(Debug)]
pub(super) struct Hands {
    pub(super) browser: Arc<Browser>,
    pub(super) numbers: Mutex<Numbers>,
    pub(super) recording: Mutex<Option<Recording>>,
    pub(super) recordings: PathBuf,
    /// What happened and was not told yet.
    untold: Mutex<Vec<Note>>,
    scripts: Vec<String>,
    prepared: AtomicBool,
}

impl Hands {
    pub(super) fn new(
        settings: BrowserSettings,
        scripts: Vec<String>,
        recordings: PathBuf,
    ) -> Self {
        Self {
            browser: Arc::new(Browser::new(settings)),
            numbers: Mutex::default(),
            recording: Mutex::default(),
            recordings,
            untold: Mutex::default(),
            scripts,
            prepared: AtomicBool::new(false),
        }
    }

    /// Does what an action asks for; nothing if it is no action of a browser.
    pub(super) async fn perform(&self, action: &Action) -> Result<Option<Answer>, BrowserError> {
        self.prepare().await?;
        let answer = self.dispatch(action).await;
        self.follow_recording().await;
        answer
    }

    async fn dispatch(&self, action: &Action) -> Result<Option<Answer>, BrowserError> {
        let text = match action {
            Action::BrowserGetState(action) => {
                return self.state(action.include_screenshot).await.map(Some);
            }
            Action::BrowserGetContent(action) => {
                let start = usize::try_from(action.start_from_char).unwrap_or(0);
                self.content(action.extract_links, start).await?
            }
            Action::BrowserListTabs(_) => self.list_tabs().await?,
            Action::BrowserGetStorage(_) => self.storage().await,
            Action::BrowserSetStorage(action) => self.set_storage(&action.storage_state).await,
            Action::BrowserStartRecording(_) => self.start_recording().await,
            Action::BrowserStopRecording(_) => self.stop_recording().await,
            Action::BrowserNavigate(action) => {
                self.told(self.navigate(&action.url, action.new_tab).await?)
            }
            Action::BrowserClick(action) => {
                self.told(self.click(action.index, action.new_tab).await?)
            }
            Action::BrowserType(action) => {
                self.told(self.type_into(action.index, &action.text).await?)
            }
            Action::BrowserScroll(action) => {
                let up = action.direction == ScrollDirection::Up;
                self.told(self.scroll(up).await?)
            }
            Action::BrowserGoBack(_) => self.told(self.go_back().await?),
            Action::BrowserSwitchTab(action) => self.switch_tab(&action.tab_id).await?,
            Action::BrowserCloseTab(action) => self.close_tab(&action.tab_id).await?,
            _ => return Ok(None),
        };
        Ok(Some(text.into()))
    }

    /// The scripts that the tool was made with were taken back along with others.
    pub(super) fn forget_scripts(&self) {
        self.prepared.store(false, Ordering::Release);
    }

    /// Gives every document the scripts that the tool was made with, once.
    async fn prepare(&self) -> Result<(), BrowserError> {
        if self.prepared.load(Ordering::Acquire) {
            return Ok(());
        }
        for script in &self.scripts {
            self.browser.add_script(script).await?;
        }
        self.prepared.store(true, Ordering::Release);
        Ok(())
    }

    /// The answer to an action, with what else happened that the reader must know at once.
    fn told(&self, mut text: String) -> String {
        let mut untold = self.untold.lock();
        for note in self.browser.take_notes() {
            if matters_at_once(&note) {
                text.push('\n');
                text.push_str(&note.to_string());
            } else {
                untold.push(note);
            }
        }
        text
    }

    /// Everything that happened and was not told yet.
    pub(super) fn take_notes(&self) -> Vec<String> {
        let mut notes = std::mem::take(&mut *self.untold.lock());
        notes.extend(self.browser.take_notes());
        notes.iter().map(ToString::to_string).collect()
    }

    /// Waits until what an action has begun is over, in the tab that is looked at afterwards. What was under way before it
    /// is not waited for.
    pub(super) async fn settle(&self, tab: &Tab, before: &Underway) -> Result<(), BrowserError> {
        tab.settle(before, SETTLE).await;
        let now = self.browser.active().await?;
        if now.target_id() != tab.target_id() {
            now.settle(before, SETTLE).await;
        }
        self.browser.downloads_done(before, SETTLE).await;
        Ok(())
    }

    /// Ends the browser.
    pub(super) async fn close(&self) {
        self.end_recording().await;
        self.browser.close().await;
        *self.numbers.lock() = Numbers::default();
    }
}

/// Errors of a page can wait until the reader looks at it.
fn matters_at_once(note: &Note) -> bool {
    match note {
        Note::Dialog { .. }
        | Note::Downloaded { .. }
        | Note::DownloadFailed { .. }
        | Note::NewTab { .. }
        | Note::TabCrashed { .. }
        | Note::BrowserCrashed => true,
        Note::ConsoleError { .. } | Note::RequestFailed { .. } => false,
    }
}

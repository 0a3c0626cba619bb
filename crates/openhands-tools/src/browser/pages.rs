//! The browser's tabs as its events tell of them: what is attached, where each is, whether it loads.

use super::error::BrowserError;
use super::notes::Notes;
use super::settings::DialogPolicy;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

/// How many documents of a tab are remembered.
const MAX_DOCUMENTS: usize = 32;

/// What is known of one tab.
#[derive(Debug, Default)]
pub(crate) struct TabRecord {
    /// CDP's id of the tab, and of its main frame.
    pub target: String,
    pub session: String,
    pub url: String,
    pub crashed: bool,
    /// Frames in processes of their own: their sessions and frame ids.
    pub children: Vec<(String, String)>,
    /// The main world of each frame: session and CDP's unique context id.
    pub worlds: HashMap<String, (String, String)>,
    /// Frames that load.
    pub loading: HashSet<String>,
    /// Whether the page has asked for another address that is not there yet.
    pub requested: bool,
    /// How often it has.
    pub requests: u64,
    /// Whether the last such address brought no page, and it is not known yet whether it is a file.
    pub came_to_nothing: bool,
    /// Documents that the main frame has shown, the newest last.
    pub shown: VecDeque<String>,
    /// Documents whose `load` event has fired.
    pub loaded: VecDeque<String>,
    /// Whether its process follows us. A tab that is sent elsewhere before that does not tell of it.
    pub is_ready: bool,
    /// How often the main frame has shown another document.
    pub navigations: u64,
    /// How often it has gone to another place in the same document.
    pub moves: u64,
    /// The file chooser that waits for files: its frame and node.
    pub file_chooser: Option<FileChooser>,
}

/// A file chooser that a page has opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChooser {
    /// The session in which the node is.
    pub session: String,
    /// The input; none if a script asked without one.
    pub backend_node_id: Option<i64>,
    /// Whether it takes several files.
    pub multiple: bool,
}

impl TabRecord {
    /// The main frame shows another document.
    pub(crate) fn show(&mut self, loader: String) {
        push(&mut self.shown, loader);
    }

    /// The `load` event of a document has fired.
    pub(crate) fn note_loaded(&mut self, loader: String) {
        push(&mut self.loaded, loader);
    }

    /// Whether a document is there, whole, or has given way to another one that is.
    pub(crate) fn is_loaded(&self, loader: &str) -> bool {
        let was_left = self.shown.iter().any(|shown| shown == loader)
            && self.shown.back().is_some_and(|newest| newest != loader);
        self.loaded.iter().any(|loaded| loaded == loader) || was_left && self.is_settled()
    }

    /// Whether the main frame shows its document, whole.
    pub(crate) fn is_settled(&self) -> bool {
        !self.requested && !self.is_loading()
    }

    /// Whether the document of the main frame is not whole yet.
    pub(crate) fn is_loading(&self) -> bool {
        self.loading.contains(&self.target)
    }
}

fn push(documents: &mut VecDeque<String>, loader: String) {
    if documents.len() == MAX_DOCUMENTS {
        documents.pop_front();
    }
    documents.push_back(loader);
}

/// A download that goes on.
#[derive(Debug, Clone)]
pub(crate) struct Download {
    pub url: String,
    pub name: String,
}

/// What the events have told so far.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Whether the browser is gone and nothing will change any more.
    pub ended: bool,
    /// In the order in which they were opened.
    pub tabs: Vec<TabRecord>,
    pub active: Option<String>,
    /// Which tab a session belongs to.
    pub owners: HashMap<String, String>,
    pub downloads: HashMap<String, Download>,
    /// Those that were told of, also after their end.
    pub seen_downloads: HashSet<String>,
    /// How many downloads have ended.
    pub finished_downloads: u64,
    /// Scripts that run in every document before its own.
    pub scripts: Vec<Added>,
    /// How many scripts were ever added.
    pub added_scripts: usize,
    /// Functions of pages that call us.
    pub bindings: Vec<Added>,
    pub listeners: Vec<Listener>,
}

/// A script, or the name of a function, that is added to every document.
#[derive(Debug, Clone)]
pub(crate) struct Added {
    pub text: String,
    /// The isolated world that it is added to; none: the page's own.
    pub world: Option<String>,
}

impl Added {
    /// What `Page.addScriptToEvaluateOnNewDocument` is told.
    pub(crate) fn as_script(&self) -> Value {
        match &self.world {
            Some(world) => {
                json!({"source": self.text, "worldName": world, "runImmediately": true})
            }
            None => json!({"source": self.text, "runImmediately": true}),
        }
    }

    /// What `Runtime.addBinding` is told.
    pub(crate) fn as_binding(&self) -> Value {
        match &self.world {
            Some(world) => json!({"name": self.text, "executionContextName": world}),
            None => json!({"name": self.text}),
        }
    }
}

/// Somebody who wants to know of events.
#[derive(Debug)]
pub(crate) struct Listener {
    pub method: &'static str,
    pub sender: mpsc::UnboundedSender<Heard>,
}

/// An event, for those who listen.
#[derive(Debug, Clone)]
pub struct Heard {
    /// The session that told it.
    pub session: String,
    /// What it told.
    pub params: Value,
}

impl Known {
    pub(crate) fn tab(&self, target: &str) -> Option<&TabRecord> {
        self.tabs.iter().find(|tab| tab.target == target)
    }

    pub(crate) fn tab_mut(&mut self, target: &str) -> Option<&mut TabRecord> {
        self.tabs.iter_mut().find(|tab| tab.target == target)
    }

    /// The tab that a session belongs to.
    pub(crate) fn owner(&mut self, session: &str) -> Option<&mut TabRecord> {
        let target = self.owners.get(session)?;
        self.tabs.iter_mut().find(|tab| tab.target == *target)
    }

    /// Notes a download, once.
    pub(crate) fn begin_download(&mut self, guid: String, url: String, name: String) {
        if self.seen_downloads.insert(guid.clone()) {
            self.downloads.insert(guid, Download { url, name });
        }
    }

    /// Forgets a tab; the one opened last becomes the active one if it was.
    pub(crate) fn remove(&mut self, target: &str) {
        self.tabs.retain(|tab| tab.target != target);
        self.owners.retain(|_, owner| owner != target);
        if self.active.as_deref() == Some(target) {
            self.active = self.tabs.last().map(|tab| tab.target.clone());
        }
    }
}

/// The tabs of one browser, and a way to wait for what happens to them.
#[derive(Debug)]
pub(crate) struct Pages {
    known: Mutex<Known>,
    changed: watch::Sender<()>,
    pub notes: Mutex<Notes>,
    pub dialogs: DialogPolicy,
    pub viewport: (u32, u32),
    pub downloads: PathBuf,
}

impl Pages {
    pub(crate) fn new(dialogs: DialogPolicy, viewport: (u32, u32), downloads: PathBuf) -> Self {
        Self {
            known: Mutex::default(),
            changed: watch::Sender::new(()),
            notes: Mutex::default(),
            dialogs,
            viewport,
            downloads,
        }
    }

    /// Looks at what is known. The reader must not wait.
    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut Known) -> T) -> T {
        look(&mut self.known.lock())
    }

    /// Changes what is known, and wakes those who wait.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Known) -> T) -> T {
        let result = change(&mut self.known.lock());
        self.changed.send_replace(());
        result
    }

    /// Waits until what is known gives an answer; [`BrowserError::Gone`] if the browser ends before it does.
    pub(crate) async fn until<T>(
        &self,
        mut answer: impl FnMut(&Known) -> Option<T>,
    ) -> Result<T, BrowserError> {
        let mut changes = self.changed.subscribe();
        loop {
            changes.mark_unchanged();
            {
                let known = self.known.lock();
                if let Some(answer) = answer(&known) {
                    return Ok(answer);
                }
                if known.ended {
                    return Err(BrowserError::Gone);
                }
            }
            if changes.changed().await.is_err() {
                // Its sender lives as long as we do.
                std::future::pending::<()>().await;
            }
        }
    }

    /// The same, for some time; nothing if there is no answer by then.
    pub(crate) async fn until_within<T>(
        &self,
        limit: Duration,
        answer: impl FnMut(&Known) -> Option<T>,
    ) -> Result<Option<T>, BrowserError> {
        timeout(limit, self.until(answer)).await.ok().transpose()
    }
}

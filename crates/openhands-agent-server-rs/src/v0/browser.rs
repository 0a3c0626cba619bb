//! The browser of a sandbox: started by the first action that needs it, ended with the server.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use openhands_sdk_rs::tools::browser::gym::{Gym, GymObservation, observe};
use openhands_sdk_rs::tools::browser::{
    self, Browser, BrowserError, BrowserSettings, DialogPolicy, Note,
};

use tokio::time::timeout;

use super::command::Settings;

/// Where Chromium saves what pages offer, below the working directory.
const DOWNLOADS: &str = ".downloads";
/// How long a step may take.
pub(super) const STEP_TIME: Duration = Duration::from_mins(2);
/// How long the end of a download is waited for; one that takes longer is told of by a later step.
const DOWNLOAD_TIME: Duration = Duration::from_secs(5);
/// How long a page may take to show that it is there.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);
/// How long it may take to leave a page that does not answer, or to end such a browser.
const LEAVE: Duration = Duration::from_secs(10);
/// A page or a browser that died is replaced by the next look; one that dies again is told of.
const LOOKS: usize = 2;

/// What a step has done.
#[derive(Debug)]
pub(super) struct Step {
    /// Why the action was not done, or nothing.
    pub(super) error: String,
    pub(super) observed: GymObservation,
    /// Files of the workspace that were downloaded.
    pub(super) files: Vec<PathBuf>,
    /// What else the agent should know.
    pub(super) notes: Vec<String>,
}

#[derive(Debug)]
pub(super) struct SandboxBrowser {
    browser: Arc<Browser>,
    gym: tokio::sync::Mutex<Gym>,
    directory: PathBuf,
    downloaded: AtomicUsize,
}

impl SandboxBrowser {
    /// A browser that is not started yet; none where it is turned off or there is no Chromium.
    pub(super) fn new(settings: &Settings) -> Option<Self> {
        if !settings.browser {
            return None;
        }
        let variables = settings.environment.to_vec().into_iter();
        let variables =
            variables.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let mut config = BrowserSettings::new(&settings.working_dir, variables);
        config.downloads = settings.working_dir.join(DOWNLOADS);
        // compat: `confirm` says no.
        config.dialogs = DialogPolicy::Dismiss;
        let program = config
            .take_variables()
            .and_then(|()| browser::find(config.executable.as_deref(), &config.environment));
        if let Err(error) = program {
            tracing::warn!(%error, "the browser is not offered");
            return None;
        }
        let browser = Arc::new(Browser::new(config));
        let gym = Gym::new(Arc::clone(&browser), &settings.working_dir);
        Some(Self {
            browser,
            gym: tokio::sync::Mutex::new(gym),
            directory: settings.working_dir.clone(),
            downloaded: AtomicUsize::new(0),
        })
    }

    /// Does the actions of a text and looks at the page then.
    pub(super) async fn step(&self, text: &str) -> Result<Step, BrowserError> {
        let mut gym = self.gym.lock().await;
        // What is said about an action should not be that there is no browser.
        self.browser.active().await?;
        let before = self.browser.underway();
        let done = gym.step(text).await;
        self.browser.downloads_done(&before, DOWNLOAD_TIME).await;
        let observed = self.observe().await?;
        let mut files = Vec::new();
        let mut notes = Vec::new();
        for note in self.browser.take_notes() {
            match note {
                Note::Downloaded { path, .. } => match self.keep(&path).await {
                    Ok(file) => files.push(file),
                    Err(error) => notes.push(format!("{}: {error}", path.display())),
                },
                Note::Dialog { .. }
                | Note::DownloadFailed { .. }
                | Note::TabCrashed { .. }
                | Note::BrowserCrashed => notes.push(note.to_string()),
                Note::NewTab { .. } | Note::ConsoleError { .. } | Note::RequestFailed { .. } => {}
            }
        }
        Ok(Step {
            error: done
                .err()
                .map(|mistake| mistake.to_string())
                .unwrap_or_default(),
            observed,
            files,
            notes,
        })
    }

    async fn observe(&self) -> Result<GymObservation, BrowserError> {
        for _ in 1..LOOKS {
            match observe(&self.browser).await {
                Err(
                    error @ (BrowserError::Crashed { .. }
                    | BrowserError::Gone
                    | BrowserError::TabClosed),
                ) => tracing::warn!(%error, "the page went away while it was looked at"),
                other => return other,
            }
        }
        observe(&self.browser).await
    }

    /// Leaves the page if it does not answer any more, so that the next action has one that does; says what was done.
    pub(super) async fn leave_hung_page(&self) -> &'static str {
        let sign = async { self.browser.active().await?.evaluate("1").await };
        if matches!(timeout(SIGN_OF_LIFE, sign).await, Ok(Ok(_))) {
            return "";
        }
        tracing::warn!("the page does not answer and is left");
        if matches!(
            timeout(LEAVE, self.browser.replace_active()).await,
            Ok(Ok(_))
        ) {
            return " The page does not answer and was closed; the next action finds an empty tab in its place.";
        }
        let _ = timeout(LEAVE, self.browser.close()).await;
        " The browser does not answer and was ended; the next action starts another one."
    }

    /// Gives a downloaded file its place in the workspace.
    async fn keep(&self, path: &Path) -> std::io::Result<PathBuf> {
        let number = self.downloaded.fetch_add(1, Ordering::Relaxed) + 1;
        let extension = extension(path).await;
        let place = self.directory.join(format!("file_{number}{extension}"));
        tokio::fs::copy(path, &place).await?;
        Ok(place)
    }

    /// Ends the browser.
    pub(super) async fn close(&self) {
        self.browser.close().await;
    }
}

/// How files of some kinds begin.
const KINDS: &[(&[u8], &str)] = &[
    (b"%PDF", ".pdf"),
    (b"\x89PNG\r\n\x1a\n", ".png"),
    (b"\xff\xd8\xff", ".jpg"),
    (b"GIF8", ".gif"),
    (b"\x1f\x8b", ".gz"),
    (b"BZh", ".bz2"),
    (b"\xfd7zXZ\0", ".xz"),
    (b"7z\xbc\xaf\x27\x1c", ".7z"),
    (b"PK\x03\x04", ".zip"),
    (b"Rar!", ".rar"),
    (b"\x7fELF", ".elf"),
    (b"SQLite format 3\0", ".sqlite"),
    (b"ID3", ".mp3"),
    (b"OggS", ".ogg"),
];

/// The extension that a file came with, or that of its content.
async fn extension(path: &Path) -> String {
    if let Some(given) = path.extension().and_then(|given| given.to_str())
        && !given.is_empty()
        && given.chars().all(char::is_alphanumeric)
    {
        return format!(".{given}");
    }
    let Ok(mut file) = tokio::fs::File::open(path).await else {
        return String::new();
    };
    let mut head = [0; 16];
    let read = tokio::io::AsyncReadExt::read(&mut file, &mut head).await;
    let head = head.get(..read.unwrap_or_default()).unwrap_or_default();
    let kind = KINDS.iter().find(|(begin, _)| head.starts_with(begin));
    kind.map(|(_, extension)| (*extension).to_owned())
        .unwrap_or_default()
}

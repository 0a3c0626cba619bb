//! Chromium's program: where it is, how it is started, and its process.

use super::cdp::{Cdp, OnEvent};
use super::error::BrowserError;
use super::profile::Profile;
use super::settings::BrowserSettings;
use openhands_process::{Environment, HeadTail, Spawn, Stdio, Tree};
use parking_lot::Mutex;
use rustix::pipe::{PipeFlags, pipe_with};
use serde_json::json;
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;
use tokio::task::JoinSet;

/// The names of browsers that can be driven, in the order in which they are looked for.
const NAMES: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "headless_shell",
];

/// Where Playwright keeps the program inside of one of its folders.
const IN_PLAYWRIGHT: &[&str] = &[
    "chrome-linux/chrome",
    "chrome-linux64/chrome",
    "chrome-linux/headless_shell",
    "chrome-headless-shell-linux64/chrome-headless-shell",
];

/// How every browser is started: without a window, without questions to the user, and without talking to anybody but
/// the pages that are asked for.
const ARGUMENTS: &[&str] = &[
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pings",
    "--disable-background-networking",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--metrics-recording-only",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--password-store=basic",
    "--use-mock-keychain",
    // Pages in the background go on working: an agent looks at one tab while another loads.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",
    "--disable-popup-blocking",
    // A container's /dev/shm is often too small.
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--hide-scrollbars",
    "--mute-audio",
    "--force-color-profile=srgb",
    // Chromium's own questions to its maker's servers: hints, model downloads, translations, certificates, media routes.
    "--disable-features=Translate,OptimizationHints,OptimizationGuideModelDownloading,MediaRouter,DialMediaRouteProvider,\
AutofillServerCommunication,CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions,PaintHolding,\
HttpsUpgrades,GlobalMediaControls,AcceptCHFrame,DestroyProfileOnBrowserClose,NetworkTimeServiceQuerying",
    "--disable-field-trial-config",
    // What is asked for all the same is asked of a port to which Chromium itself refuses to connect.
    "--allow-browser-signin=false",
    "--component-updater=url-source=http://127.0.0.1:9",
    "--gaia-url=http://127.0.0.1:9",
    "--gcm-checkin-url=http://127.0.0.1:9",
    "--google-apis-url=http://127.0.0.1:9",
    "--google-url=http://127.0.0.1:9",
    "--variations-server-url=http://127.0.0.1:9",
];

/// What Chromium prints when it cannot build its sandbox here.
const NO_SANDBOX_HERE: &[&str] = &[
    "No usable sandbox",
    "Running as root without --no-sandbox",
    "zygote_host_impl_linux",
    "Failed to move to new namespace",
];
/// How much of what the process prints is kept, to explain a failed start.
const MAX_COMPLAINTS: usize = 8 << 10;
/// The size of the pipes: with Linux's own 64 kB, a large answer would come in many small turns.
const PIPE_SIZE: usize = 1 << 20;
/// How long the process may take to end when it is asked to.
const CLOSE_GRACE: Duration = Duration::from_secs(3);

/// The program to start: the one that was named, or the first that is found.
pub fn find(named: Option<&Path>, environment: &Environment) -> Result<PathBuf, BrowserError> {
    let path = environment
        .get(OsStr::new("PATH"))
        .map_or(OsStr::new(""), OsString::as_os_str);
    if let Some(named) = named {
        // A name without a folder is looked for as a shell would.
        let found = if named.components().count() == 1 && !named.has_root() {
            on_path(path, &named.to_string_lossy())
        } else {
            named.is_file().then(|| named.to_owned())
        };
        return found.ok_or_else(|| BrowserError::NotThere(named.to_owned()));
    }
    NAMES
        .iter()
        .find_map(|name| on_path(path, name))
        .or_else(|| from_playwright(environment))
        .ok_or(BrowserError::NoChromium)
}

fn on_path(path: &OsStr, name: &str) -> Option<PathBuf> {
    std::env::split_paths(path)
        .map(|directory| directory.join(name))
        .find(|file| file.is_file())
}

/// The newest Chromium that Playwright has installed.
fn from_playwright(environment: &Environment) -> Option<PathBuf> {
    let root = match environment.get(OsStr::new("PLAYWRIGHT_BROWSERS_PATH")) {
        Some(path) if !path.is_empty() => PathBuf::from(path),
        _ => Path::new(environment.get(OsStr::new("HOME"))?).join(".cache/ms-playwright"),
    };
    let mut found: Vec<PathBuf> = std::fs::read_dir(root)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .flat_map(|directory| {
            IN_PLAYWRIGHT
                .iter()
                .map(move |program| directory.join(program))
        })
        .filter(|file| file.is_file())
        .collect();
    found.sort();
    found.pop()
}

/// A running Chromium. Dropping it ends all its processes and removes its profile.
#[derive(Debug)]
pub(crate) struct Chromium {
    pub(crate) cdp: Cdp,
    tree: Tree,
    /// End with it.
    _tasks: JoinSet<()>,
    _readers: JoinSet<()>,
    /// Last, because the processes write into it until they have ended.
    profile: Profile,
}

impl Chromium {
    /// Starts a browser that answers.
    pub(crate) async fn start(
        settings: &BrowserSettings,
        on_event: impl Fn() -> OnEvent,
    ) -> Result<Self, BrowserError> {
        let program = find(settings.executable.as_deref(), &settings.environment)?;
        let as_root = settings.user.as_ref().map_or_else(
            || rustix::process::geteuid().is_root(),
            |user| user.uid == 0,
        );
        let sandbox = settings.sandbox.unwrap_or(!as_root);
        let started = Self::start_with(settings, &program, sandbox, on_event()).await;
        match started {
            Err(BrowserError::Ended { output, .. })
                if sandbox
                    && settings.sandbox.is_none()
                    && NO_SANDBOX_HERE.iter().any(|words| output.contains(words)) =>
            {
                tracing::warn!("Chromium's own sandbox cannot be had here; it runs without");
                Self::start_with(settings, &program, false, on_event()).await
            }
            other => other,
        }
    }

    async fn start_with(
        settings: &BrowserSettings,
        program: &Path,
        sandbox: bool,
        on_event: OnEvent,
    ) -> Result<Self, BrowserError> {
        let user = settings.user.clone();
        let made = tokio::task::spawn_blocking(move || Profile::make(user.as_ref())).await;
        let profile = made.map_err(|error| BrowserError::Spawn(error.to_string()))??;
        let pipes = Pipes::make().map_err(BrowserError::file("the pipes to the browser"))?;
        let mut tree = Spawn::new(program)
            .args(arguments(settings, sandbox, profile.path()))
            .envs(environment(settings, profile.path()))
            .cwd(&settings.directory)
            .fd(3, pipes.their_input)
            .fd(4, pipes.their_output)
            .stderr(Stdio::Pipe)
            .nice(settings.nice)
            .cgroup(settings.cgroup);
        if let Some(user) = &settings.user {
            tree = tree.user(user.clone());
        }
        let mut tree = tree.start().await?;
        let complaints = Arc::new(Mutex::new(HeadTail::with_ends(0, MAX_COMPLAINTS)));
        let mut readers = JoinSet::new();
        if let Some(stderr) = tree.stderr.take() {
            readers.spawn(keep_end(stderr, Arc::clone(&complaints)));
        }
        let (cdp, tasks) = Cdp::open(pipes.sender, pipes.receiver, on_event);
        let limit = settings.start_timeout;
        let said = || {
            let end = complaints.lock().join(|_| Vec::new());
            String::from_utf8_lossy(&end).into_owned()
        };
        let asked = cdp.call(None, "Browser.getVersion", json!({}), limit);
        match asked.await {
            Ok(version) => {
                tracing::info!(program = %program.display(), ?version, "a browser is up");
            }
            Err(BrowserError::Timeout { limit, .. }) => {
                let output = said();
                return Err(BrowserError::SlowStart {
                    after: limit,
                    output,
                });
            }
            Err(_) => {
                let exit = tree.wait().await;
                // What it said last may still be in the pipe; it ends with the process.
                while readers.join_next().await.is_some() {}
                let output = said();
                return Err(BrowserError::Ended { exit, output });
            }
        }
        Ok(Self {
            cdp,
            tree,
            _tasks: tasks,
            _readers: readers,
            profile,
        })
    }

    /// Whether it still answers.
    pub(crate) fn is_alive(&self) -> bool {
        !self.cdp.is_closed() && self.tree.try_wait().is_none()
    }

    /// The process id of the browser itself.
    pub(crate) fn pid(&self) -> i32 {
        self.tree.pid()
    }

    /// Ends it and waits until no process and no file of it is left.
    pub(crate) async fn close(&self) {
        self.cdp.tell(None, "Browser.close", &json!({}));
        let _ = tokio::time::timeout(CLOSE_GRACE, self.tree.gone()).await;
        if let Err(error) = self.tree.kill().await {
            tracing::warn!(%error, "a process of the browser is left");
        }
        let profile = self.profile.path().to_owned();
        if let Err(error) = tokio::fs::remove_dir_all(&profile).await {
            tracing::debug!(%error, "the browser's profile is not removed yet");
        }
    }
}

/// Both pipes: what we hold, and what the browser gets as its descriptors 3 and 4.
struct Pipes {
    sender: pipe::Sender,
    receiver: pipe::Receiver,
    their_input: OwnedFd,
    their_output: OwnedFd,
}

impl Pipes {
    fn make() -> std::io::Result<Self> {
        let (their_input, ours) = pipe_with(PipeFlags::CLOEXEC)?;
        let (output, their_output) = pipe_with(PipeFlags::CLOEXEC)?;
        // The limit for users may be lower; then the pipe stays as it is.
        let _ = rustix::pipe::fcntl_setpipe_size(&output, PIPE_SIZE);
        Ok(Self {
            sender: pipe::Sender::from_owned_fd(ours)?,
            receiver: pipe::Receiver::from_owned_fd(output)?,
            their_input,
            their_output,
        })
    }
}

fn arguments(settings: &BrowserSettings, sandbox: bool, profile: &Path) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = ARGUMENTS.iter().map(OsString::from).collect();
    let mut folder = OsString::from("--user-data-dir=");
    folder.push(profile);
    arguments.push(folder);
    let (width, height) = settings.viewport;
    arguments.push(format!("--window-size={width},{height}").into());
    if !sandbox {
        arguments.push("--no-sandbox".into());
    }
    if let Some(agent) = &settings.user_agent {
        arguments.push(format!("--user-agent={agent}").into());
    }
    if let Some(proxy) = &settings.proxy {
        arguments.push(format!("--proxy-server={proxy}").into());
    }
    if let Some(bypass) = &settings.proxy_bypass {
        arguments.push(format!("--proxy-bypass-list={bypass}").into());
    }
    arguments.extend(settings.arguments.iter().map(OsString::from));
    arguments.push("about:blank".into());
    arguments
}

/// The environment, with a home for what Chromium keeps outside of its profile.
fn environment(settings: &BrowserSettings, profile: &Path) -> Vec<(OsString, OsString)> {
    let mut variables: Vec<(OsString, OsString)> = settings
        .environment
        .iter()
        .filter(|(name, _)| {
            !["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "DISPLAY"]
                .iter()
                .any(|known| *name == *known)
        })
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    for (name, folder) in [("XDG_CONFIG_HOME", "config"), ("XDG_CACHE_HOME", "cache")] {
        variables.push((name.into(), profile.join(folder).into_os_string()));
    }
    variables
}

async fn keep_end(mut pipe: pipe::Receiver, end: Arc<Mutex<HeadTail>>) {
    let mut buffer = vec![0; 4 << 10];
    while let Ok(length @ 1..) = pipe.read(&mut buffer).await {
        if let Some(bytes) = buffer.get(..length) {
            end.lock().push(bytes);
        }
    }
}

#[cfg(test)]
#[path = "chromium_tests.rs"]
mod tests;

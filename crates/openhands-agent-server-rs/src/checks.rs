//! Questions that the program answers without serving: `--check-browser` and `--check-health`.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, bail};

use crate::config::Environment;

/// The names of browsers that can be driven, in the order in which they are looked for.
const NAMES: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
];
/// A browser that starts cold on a busy machine takes its time.
const TIME: Duration = Duration::from_mins(1);

/// Shows an empty page in a browser. The text names the browser.
pub async fn check_browser(environment: &Environment) -> anyhow::Result<PathBuf> {
    let browser = find(environment).context("no Chromium was found on PATH or from Playwright")?;
    let profile = tempfile::tempdir().context("a directory for the browser")?;
    let mut profile_option = std::ffi::OsString::from("--user-data-dir=");
    profile_option.push(profile.path());
    let running = tokio::process::Command::new(&browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu"])
        .args(["--disable-dev-shm-usage", "--no-first-run"])
        .arg(profile_option)
        .args(["--dump-dom", "about:blank"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .output();
    let name = browser.display();
    let shown = tokio::time::timeout(TIME, running)
        .await
        .with_context(|| format!("{name} did not end within {} s", TIME.as_secs()))?
        .with_context(|| format!("{name} cannot be started"))?;
    let page = String::from_utf8_lossy(&shown.stdout);
    if !shown.status.success() || !page.contains("<html") {
        bail!("{name} did not show the page: {}", shown.status);
    }
    Ok(browser)
}

/// How long a server may take to say that it is well.
const HEALTH_TIME: Duration = Duration::from_secs(3);

/// Asks the server at a port of this machine whether it is well.
pub async fn check_health(port: u16) -> anyhow::Result<()> {
    let client = reqwest::Client::builder()
        .no_proxy()
        .timeout(HEALTH_TIME)
        .build()?;
    let url = format!("http://127.0.0.1:{port}/health");
    let answer = client.get(&url).send().await?;
    answer.error_for_status()?;
    Ok(())
}

fn find(environment: &Environment) -> Option<PathBuf> {
    let path = environment.get("PATH").unwrap_or_default();
    let on_path = NAMES.iter().find_map(|name| {
        std::env::split_paths(path)
            .map(|directory| directory.join(name))
            .find(|file| file.is_file())
    });
    on_path.or_else(|| from_playwright(environment))
}

/// The newest Chromium that Playwright has installed.
fn from_playwright(environment: &Environment) -> Option<PathBuf> {
    let root = match environment.given("PLAYWRIGHT_BROWSERS_PATH") {
        Some(path) => PathBuf::from(path),
        None => Path::new(environment.given("HOME")?).join(".cache/ms-playwright"),
    };
    let mut found: Vec<PathBuf> = std::fs::read_dir(root)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .flat_map(|directory| {
            ["chrome-linux/chrome", "chrome-linux64/chrome"].map(|file| directory.join(file))
        })
        .filter(|file| file.is_file())
        .collect();
    found.sort();
    found.pop()
}

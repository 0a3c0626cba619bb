//! Questions that the program answers without serving: `--check-browser` and `--check-health`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, ensure};
use openhands_sdk_rs::tools::browser::{self, Browser, BrowserSettings};

use crate::config::Environment;

/// A browser that starts cold on a busy machine takes its time.
const TIME: Duration = Duration::from_mins(1);

/// Shows an empty page in a browser, as an agent's would be shown. The path is the browser's.
pub async fn check_browser(environment: &Environment) -> anyhow::Result<PathBuf> {
    let folder = tempfile::tempdir().context("a directory for the browser")?;
    let variables = environment.to_vec();
    let variables = variables
        .into_iter()
        .map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let mut settings = BrowserSettings::new(folder.path(), variables);
    settings.take_variables()?;
    settings.start_timeout = TIME;
    let program = browser::find(settings.executable.as_deref(), &settings.environment)?;
    let browser = Browser::new(settings);
    let shown = async {
        let tab = browser.active().await?;
        let page = tab.evaluate("document.documentElement.outerHTML").await?;
        tab.screenshot().await?;
        anyhow::Ok(page)
    };
    let page = shown.await.with_context(|| program.display().to_string())?;
    browser.close().await;
    let page = page.as_str().unwrap_or_default();
    ensure!(
        page.contains("<html"),
        "{} showed something else than an empty page: {page}",
        program.display()
    );
    Ok(program)
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

//! A browser for one test.

use openhands_tools::browser::{Browser, BrowserSettings, Tab};
use serde_json::Value;
use std::ops::Deref;
use std::time::Duration;
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

/// How long a test waits for what must happen.
pub(crate) const SOON: Duration = Duration::from_secs(30);

/// A browser in a folder of its own.
#[derive(Debug)]
pub(crate) struct Lab {
    pub(crate) folder: TempDir,
    pub(crate) browser: Browser,
}

impl Deref for Lab {
    type Target = Browser;

    fn deref(&self) -> &Browser {
        &self.browser
    }
}

/// A browser, or none where there is no Chromium; in CI there must be one.
pub(crate) fn lab() -> Option<Lab> {
    lab_with(|_| {})
}

/// A browser with other settings.
pub(crate) fn lab_with(change: impl FnOnce(&mut BrowserSettings)) -> Option<Lab> {
    let folder = tempfile::tempdir().unwrap();
    let environment: Vec<_> = std::env::vars_os()
        .filter(|(name, _)| !name.to_string_lossy().to_lowercase().ends_with("_proxy"))
        .chain([("HOME".into(), folder.path().into())])
        .collect();
    let mut settings = BrowserSettings::new(folder.path(), environment);
    change(&mut settings);
    if openhands_tools::browser::find(None, &settings.environment).is_err() {
        assert!(std::env::var_os("CI").is_none(), "skipped: no chromium");
        println!("skipped: no chromium");
        return None;
    }
    Some(Lab {
        folder,
        browser: Browser::new(settings),
    })
}

/// Waits until an expression of the page has this value.
pub(crate) async fn until(tab: &Tab, expression: &str, expected: impl Into<Value>) {
    let expected = expected.into();
    let deadline = Instant::now() + SOON;
    loop {
        let value = tab.evaluate(expression).await;
        if value.as_ref().is_ok_and(|value| *value == expected) {
            return;
        }
        assert!(
            Instant::now() < deadline,
            "{expression} is {value:?}, not {expected}"
        );
        sleep(Duration::from_millis(10)).await;
    }
}

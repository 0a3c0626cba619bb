//! Addresses, history and tabs.

use std::borrow::Cow;

use super::call_log::CallLog;
use super::failure::{failed, said};
use crate::browser::gym::language::{Exception, Mistake};
use crate::browser::{Browser, BrowserError, Opened, Tab};

/// Opens an address and waits until it is loaded.
pub(super) async fn goto(tab: &Tab, url: &str) -> Result<(), Mistake> {
    let method = "Page.goto";
    let mut log = CallLog::default();
    log.add(format!("navigating to \"{url}\", waiting until \"load\""));
    let limit = tab.settings.navigation_timeout;
    let timed_out = || {
        let text = format!("Timeout {}ms exceeded.", limit.as_millis());
        said(Exception::TimeoutError, method, &text, &log)
    };
    match tab.navigate_within(&completed(url), limit).await {
        Ok(Opened::Loaded) => Ok(()),
        Ok(Opened::StillLoading) | Err(BrowserError::Timeout { .. }) => Err(timed_out()),
        Ok(Opened::Download) => Err(said(Exception::Error, method, "Download is starting", &log)),
        Err(BrowserError::Crashed { .. }) => {
            Err(said(Exception::Error, method, "Page crashed", &log))
        }
        Err(error) => Err(failed(method, &error, &log)),
    }
}

/// An address of this machine may be given without its scheme.
fn completed(url: &str) -> Cow<'_, str> {
    if url.starts_with("localhost") || url.starts_with("127.0.0.1") {
        Cow::Owned(format!("http://{url}"))
    } else {
        Cow::Borrowed(url)
    }
}

/// Goes one page back. Where there is none, nothing happens.
pub(super) async fn go_back(tab: &Tab) -> Result<(), Mistake> {
    went("Page.go_back", tab.go_back().await)
}

/// Goes one page forward. Where there is none, nothing happens.
pub(super) async fn go_forward(tab: &Tab) -> Result<(), Mistake> {
    went("Page.go_forward", tab.go_forward().await)
}

fn went(method: &str, went: Result<bool, BrowserError>) -> Result<(), Mistake> {
    went.map(drop)
        .map_err(|error| failed(method, &error, &CallLog::default()))
}

/// Opens an empty tab.
pub(super) async fn new_tab(browser: &Browser) -> Result<Tab, Mistake> {
    let opened = browser.new_tab().await;
    opened.map_err(|error| failed("BrowserContext.new_page", &error, &CallLog::default()))
}

/// Closes a tab, and gives the one that is active then.
pub(super) async fn tab_close(browser: &Browser, tab: &Tab) -> Result<Tab, Mistake> {
    let closing = async {
        browser.close_tab(tab).await?;
        let tab = browser.active().await?;
        browser.activate(&tab).await?;
        Ok(tab)
    };
    let closed: Result<Tab, BrowserError> = closing.await;
    closed.map_err(|error| failed("Page.close", &error, &CallLog::default()))
}

/// Brings a tab to the front, and gives it, or what takes its place if it has crashed. Negative numbers count from the end.
pub(super) async fn tab_focus(browser: &Browser, index: i64) -> Result<Tab, Mistake> {
    let failed = |error: BrowserError| failed("Page.bring_to_front", &error, &CallLog::default());
    let mut tabs = browser.tabs().await.map_err(failed)?;
    let count = i64::try_from(tabs.len()).unwrap_or(i64::MAX);
    let place = if index < 0 {
        index.saturating_add(count)
    } else {
        index
    };
    let Some(place) = usize::try_from(place)
        .ok()
        .filter(|place| *place < tabs.len())
    else {
        return Err(Mistake::new(
            Exception::IndexError,
            "list index out of range",
        ));
    };
    let tab = tabs.swap_remove(place);
    browser.activate(&tab).await.map_err(failed)?;
    browser.active().await.map_err(failed)
}

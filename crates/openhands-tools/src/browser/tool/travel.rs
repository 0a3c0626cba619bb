//! Where the window goes: addresses, back, up and down.

use super::hands::{Hands, SETTLE};
use super::pointer::TURN;
use crate::browser::elements::ask;
use crate::browser::{BrowserError, Mouse, Opened};
use serde::Deserialize;
use std::time::Duration;
use tokio::time::timeout;

/// How far one call scrolls.
const STEP: f64 = 500.0;
/// How long a page may take to draw.
const DRAWN: Duration = Duration::from_secs(1);

#[derive(Deserialize)]
struct Scrolled {
    moved: bool,
    elsewhere: bool,
}

impl Hands {
    /// Opens an address.
    pub(super) async fn navigate(&self, url: &str, new_tab: bool) -> Result<String, BrowserError> {
        let address = address(url)?;
        let tab = if new_tab {
            self.browser.new_tab().await?
        } else {
            self.browser.active().await?
        };
        let before = self.browser.underway();
        let opened = match tab.navigate(&address).await {
            // A server that does not answer is no sign of a browser that hangs.
            Err(BrowserError::Timeout { limit, .. }) => {
                let text = format!("No answer within {} seconds", limit.as_secs());
                return Err(BrowserError::Navigation { url: address, text });
            }
            other => other?,
        };
        let mut text = if new_tab {
            format!("Opened new tab with URL: {url}")
        } else {
            format!("Navigated to: {url}")
        };
        match opened {
            Opened::Loaded => {}
            Opened::StillLoading => text.push_str("\nThe page goes on loading."),
            Opened::Download => {
                self.browser.downloads_done(&before, SETTLE).await;
            }
        }
        Ok(text)
    }

    /// Goes back.
    pub(super) async fn go_back(&self) -> Result<String, BrowserError> {
        let tab = self.browser.active().await?;
        let mut text = "Navigated back".to_owned();
        if !tab.go_back().await? {
            text.push_str("\nThere is no page to go back to.");
        }
        Ok(text)
    }

    /// Scrolls up or down.
    pub(super) async fn scroll(&self, up: bool) -> Result<String, BrowserError> {
        let (by, name) = if up { (-STEP, "up") } else { (STEP, "down") };
        let tab = self.browser.active().await?;
        let before = self.browser.underway();
        let world = tab.isolated_world(&tab.session, tab.target_id()).await?;
        let scrolled: Option<Scrolled> = ask(&tab, &world, &format!("page.scroll({by})")).await?;
        let mut text = format!("Scrolled {name}");
        if let Some(Scrolled { moved, elsewhere }) = scrolled
            && !moved
        {
            // A frame of another process, or a page with a wheel of its own.
            let (width, height) = self.browser.settings().viewport;
            let middle = Mouse::at(f64::from(width) / 2.0, f64::from(height) / 2.0);
            tab.wheel(middle, 0.0, by).await?;
            if !elsewhere {
                text.push_str("\nThe page did not move: it is at its end there.");
            }
        }
        // A page that loads more does so when it has drawn the new part.
        let _ = timeout(DRAWN, tab.evaluate(TURN)).await;
        self.settle(&tab, &before).await?;
        Ok(text)
    }
}

/// An address that Chromium takes: without a scheme it is one of the web.
fn address(url: &str) -> Result<String, BrowserError> {
    let url = url.trim();
    if url.is_empty() || url.contains(char::is_whitespace) && !url.contains(':') {
        return Err(BrowserError::Invalid(format!("'{url}' is no address")));
    }
    let scheme = url.split_once(':').map(|(scheme, _)| scheme);
    let has_scheme = scheme.is_some_and(|scheme| {
        let is_word = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|character| character.is_ascii_alphanumeric() || "+-.".contains(character));
        // `localhost:8000` names a host and a port.
        is_word && (url.contains("://") || !scheme.contains('.') && scheme != "localhost")
    });
    if has_scheme {
        return Ok(url.to_owned());
    }
    let host = url.split(['/', '?', '#']).next().unwrap_or(url);
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let is_local = name == "localhost"
        || name.starts_with('[')
        || name.parse::<std::net::IpAddr>().is_ok()
        || !name.contains('.');
    let scheme = if is_local { "http" } else { "https" };
    Ok(format!("{scheme}://{url}"))
}

#[cfg(test)]
#[path = "travel_tests.rs"]
mod tests;

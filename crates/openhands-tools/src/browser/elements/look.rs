//! A look at all frames of a page.

use super::closed::adopt;
use super::scan::Scan;
use super::{CLICKS, PAGE};
use crate::browser::{BrowserError, Frame, IsolatedWorld, Tab};
use futures_util::future::join_all;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;

/// The most elements that one frame lists: more than fit into what a model reads.
const MAX_ELEMENTS: usize = 700;
/// How long the page's own world may take to say what listens to clicks; without it the list is a little shorter.
const CLICKS_LIMIT: Duration = Duration::from_secs(2);

/// Which elements listen to clicks, by their place among all elements of the document.
///
/// The page's own world says so, and may lie: only numbers are taken over into ours.
#[derive(Debug, Deserialize, Serialize)]
struct Clicks {
    count: usize,
    places: Vec<usize>,
}

/// An expression on what is known of the page of a world; it is learnt if that is the first time.
pub(crate) fn on_page(expression: &str) -> String {
    format!("(page => {expression})(globalThis.openhandsPage ??= (\n{PAGE})())")
}

/// What an expression of [`on_page`] gives, which it writes as JSON; nothing for null.
pub(crate) async fn ask<T: DeserializeOwned>(
    tab: &Tab,
    world: &IsolatedWorld,
    expression: &str,
) -> Result<Option<T>, BrowserError> {
    let answer: Option<String> = tab.evaluate_isolated(world, &on_page(expression)).await?;
    answer
        .map(|text| {
            serde_json::from_str(&text).map_err(|error| {
                BrowserError::Script(format!("the page's script gave something else: {error}"))
            })
        })
        .transpose()
}

/// The elements of every frame that no frame of its origin holds; those of the main frame first.
pub async fn look(tab: &Tab) -> Result<Vec<(Frame, Scan)>, BrowserError> {
    let (frames, clicks) = tokio::join!(tab.frames(), clicks(tab));
    let looks = frames?.into_iter().map(|frame| {
        let is_main = frame.parent.is_none();
        let clicks = if is_main { clicks.as_str() } else { "null" };
        async move {
            let scan = look_at(tab, &frame, clicks).await;
            (is_main, frame, scan)
        }
    });
    let mut seen = Vec::new();
    for (is_main, frame, scan) in join_all(looks).await {
        match scan {
            Ok(Some(scan)) => seen.push((frame, scan)),
            Ok(None) => {}
            Err(error) if is_main => return Err(error),
            // A frame inside the page may go away at any moment.
            Err(error) => tracing::debug!(%error, "a frame was not looked at"),
        }
    }
    Ok(seen)
}

async fn look_at(tab: &Tab, frame: &Frame, clicks: &str) -> Result<Option<Scan>, BrowserError> {
    let world = tab.isolated_world(&frame.session, &frame.id).await?;
    let scan = format!("page.isReachedFromAbove() ? null : page.scan({MAX_ELEMENTS}, {clicks})");
    let Some(first) = ask::<Scan>(tab, &world, &scan).await? else {
        return Ok(None);
    };
    if first.suspects == 0 || !adopt(tab, &world).await? {
        return Ok(Some(first));
    }
    // What is inside the roots that were found may hold others, but those of a second level are rare.
    ask(tab, &world, &scan).await
}

/// Opens the closed shadow roots of a frame for the scripts that come after.
pub(crate) async fn open_roots(tab: &Tab, world: &IsolatedWorld) -> Result<(), BrowserError> {
    let scan: Option<Scan> = ask(tab, world, "page.scan(0, null)").await?;
    if scan.is_some_and(|scan| scan.suspects > 0) {
        adopt(tab, world).await?;
    }
    Ok(())
}

/// Which elements listen to clicks, as JSON for the script; `null` if the page does not say.
async fn clicks(tab: &Tab) -> String {
    let params = json!({
        "expression": CLICKS,
        "includeCommandLineAPI": true,
        "returnByValue": true,
    });
    let limit = CLICKS_LIMIT;
    let answer = tokio::time::timeout(limit, tab.call("Runtime.evaluate", params)).await;
    let clicks = answer.ok().and_then(Result::ok).and_then(|mut answer| {
        let value = answer.pointer_mut("/result/value").map(Value::take)?;
        serde_json::from_value::<Clicks>(value).ok()
    });
    json!(clicks).to_string()
}

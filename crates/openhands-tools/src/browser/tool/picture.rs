//! Pictures of the window: small enough for a model, and kept beside the conversation.

use crate::browser::{BrowserError, Tab};
use crate::safe_write::write_file;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::path::Path;

/// Models make a picture smaller whose longer side has more pixels, and it costs more to send.
const MAX_SIDE: u32 = 1568;

/// The visible part of a page as PNG in base64, with its width and height.
pub(super) async fn take(
    tab: &Tab,
    viewport: (u32, u32),
) -> Result<(String, [u32; 2]), BrowserError> {
    let (width, height) = viewport;
    let side = width.max(height);
    let data = if side <= MAX_SIDE {
        tab.screenshot_base64().await?
    } else {
        smaller(tab, f64::from(MAX_SIDE) / f64::from(side)).await?
    };
    let size = size_of(&data).unwrap_or([width, height]);
    Ok((data, size))
}

async fn smaller(tab: &Tab, scale: f64) -> Result<String, BrowserError> {
    let metrics = tab.call("Page.getLayoutMetrics", json!({})).await?;
    let side = |name: &str| {
        let view = metrics.get("cssVisualViewport")?;
        view.get(name)?.as_f64()
    };
    let clip = json!({
        "x": side("pageX"), "y": side("pageY"), "width": side("clientWidth"), "height": side("clientHeight"),
        "scale": scale,
    });
    let params = json!({"format": "png", "optimizeForSpeed": true, "clip": clip});
    let captured = tab.call("Page.captureScreenshot", params).await?;
    match captured.get("data").and_then(Value::as_str) {
        Some(data) => Ok(data.to_owned()),
        None => Err(BrowserError::Invalid(
            "the browser gave no picture".to_owned(),
        )),
    }
}

/// Width and height, as a PNG says them at its beginning.
fn size_of(data: &str) -> Option<[u32; 2]> {
    let head = BASE64_STANDARD.decode(data.get(..32)?).ok()?;
    let number = |at: usize| {
        let bytes = head.get(at..at + 4)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    };
    Some([number(16)?, number(20)?])
}

/// Writes a picture under the name that its text makes; a picture that cannot be kept is only shown.
pub(super) async fn save(data: &str, directory: &Path) {
    let hash = format!("{:x}", Sha256::digest(data.as_bytes()));
    let name = format!(
        "browser_screenshot_{}.png",
        hash.get(..8).unwrap_or_default()
    );
    let (data, file) = (data.to_owned(), directory.join(name));
    let written = tokio::task::spawn_blocking(move || write(&data, &file)).await;
    if let Ok(Err(error)) = written {
        tracing::debug!(%error, "a screenshot was not kept");
    }
}

fn write(data: &str, file: &Path) -> std::io::Result<()> {
    if file.exists() {
        return Ok(());
    }
    let bytes = BASE64_STANDARD
        .decode(data)
        .map_err(std::io::Error::other)?;
    if let Some(directory) = file.parent() {
        std::fs::create_dir_all(directory)?;
    }
    write_file(file, &bytes).map_err(std::io::Error::other)
}

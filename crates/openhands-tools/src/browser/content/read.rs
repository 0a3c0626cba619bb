//! The text of a page with all its frames.

use super::markdown::to_markdown;
use super::piece::Extracted;
use super::stream::{PageStream, WALK};
use crate::browser::elements::{ask, open_roots};
use crate::browser::{BrowserError, Frame, Tab};
use futures_util::future::join_all;

/// Reads a page. What its frames from other origins show stands after the rest.
pub async fn read(tab: &Tab, links: bool) -> Result<Extracted, BrowserError> {
    let frames = tab.frames().await?;
    let mut html = 0;
    let mut parts = Vec::new();
    let streams = join_all(frames.iter().map(|frame| stream(tab, frame))).await;
    for (frame, stream) in frames.iter().zip(streams) {
        match stream {
            Ok(Some(stream)) => {
                html += stream.html;
                parts.push(stream.stream);
            }
            Ok(None) => {}
            Err(error) if frame.parent.is_none() => return Err(error),
            Err(error) => tracing::debug!(%error, "a frame was not read"),
        }
    }
    let extracted = tokio::task::spawn_blocking(move || {
        let texts: Vec<String> = parts
            .iter()
            .map(|stream| to_markdown(stream, links))
            .filter(|text| !text.is_empty())
            .collect();
        Extracted::new(html, &texts.join("\n\n"))
    });
    extracted
        .await
        .map_err(|error| BrowserError::Invalid(format!("the page cannot be read: {error}")))
}

/// What a frame shows; nothing if the frame around it tells that too.
async fn stream(tab: &Tab, frame: &Frame) -> Result<Option<PageStream>, BrowserError> {
    let world = tab.isolated_world(&frame.session, &frame.id).await?;
    open_roots(tab, &world).await?;
    let walk = format!("page.isReachedFromAbove() ? null : (\n{WALK})(page)");
    ask(tab, &world, &walk).await
}

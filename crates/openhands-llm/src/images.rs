//! Images in messages, made such that the model takes them.
//!
//! Claude refuses images that are too large; some providers take no addresses, only the image itself. What was made
//! of a message is kept, so that each image is made smaller or fetched once.

use std::io::Cursor;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::{ImageFormat, ImageReader, Limits, imageops::FilterType};
use openhands_protocol::message::{Content, ImageContent, Message};

use crate::by_arc::ByArc;
use crate::fetch_image::fetch;
use crate::genai::{Http, Settings};
use crate::model::ChatRequest;
use crate::target::Protocol;

/// Claude takes images up to this many pixels a side,
const MAX_PIXELS: u32 = 8000;
/// but only up to this many,
const MANY_IMAGES: usize = 20;
/// and if there are more, up to this.
const MAX_PIXELS_OF_MANY: u32 = 2000;
/// An image that needs more than this when it is unpacked is left alone.
const MAX_UNPACKED_BYTES: u64 = 512 << 20;
/// Images that are kept for the next request, in all.
const MAX_KEPT_BYTES: usize = 64 << 20;

/// Tags of what is kept.
const UP_TO_MAX: u8 = 0;
const UP_TO_MANY: u8 = 1;

/// Makes the images of one model's requests fit for it.
#[derive(Debug)]
pub(crate) struct Images {
    /// The model sees at all.
    sees: bool,
    /// Sides are limited.
    limited: bool,
    /// Addresses are not taken.
    inlines: bool,
    /// What was made of a message; nothing if it is fine as it is.
    made: ByArc<Message, Option<Arc<Message>>>,
}

impl Images {
    pub(crate) fn of(settings: &Settings, protocol: Protocol) -> Self {
        Self {
            sees: settings.features.vision,
            limited: settings.name.contains("claude"),
            inlines: settings.features.inline_images || protocol == Protocol::Library,
            made: ByArc::new(MAX_KEPT_BYTES),
        }
    }

    /// The request with images that the model takes. What cannot be made to fit stays as it is: the provider says
    /// what is wrong with it.
    pub(crate) async fn prepare(&self, mut request: ChatRequest, http: &Http) -> ChatRequest {
        if !self.sees || !(self.limited || self.inlines) {
            return request;
        }
        let count: usize = request.messages.iter().map(|message| count(message)).sum();
        if count == 0 {
            return request;
        }
        let (limit, tag) = if count > MANY_IMAGES {
            (MAX_PIXELS_OF_MANY, UP_TO_MANY)
        } else {
            (MAX_PIXELS, UP_TO_MAX)
        };
        let limit = self.limited.then_some(limit);
        let mut unknown = Vec::new();
        {
            let mut round = self.made.round();
            for (at, message) in request.messages.iter_mut().enumerate() {
                if self::count(message) == 0 {
                    continue;
                }
                match round.find(message, tag) {
                    Some(Some(made)) => *message = made,
                    Some(None) => {}
                    None => unknown.push(at),
                }
            }
        }
        for at in unknown {
            let Some(message) = request.messages.get_mut(at) else {
                continue;
            };
            let made = self.make(message, limit, http).await;
            let bytes = made.as_ref().map_or(0, |made| size(made));
            self.made.round().keep(message, tag, made.clone(), bytes);
            if let Some(made) = made {
                *message = made;
            }
        }
        request
    }

    /// The message with other images, if any of them must be another.
    async fn make(
        &self,
        message: &Message,
        limit: Option<u32>,
        http: &Http,
    ) -> Option<Arc<Message>> {
        let mut made = message.clone();
        let mut is_changed = false;
        for part in &mut made.content {
            let Content::Image(image) = part else {
                continue;
            };
            for url in &mut image.image_urls {
                if self.inlines
                    && url.starts_with("http")
                    && let Some(data) = fetch(url, http.fetches_privately).await
                {
                    *url = data;
                    is_changed = true;
                }
                if let Some(limit) = limit
                    && let Some(smaller) = shrink(url, limit).await
                {
                    *url = smaller;
                    is_changed = true;
                }
            }
        }
        is_changed.then(|| Arc::new(made))
    }
}

fn images(message: &Message) -> impl Iterator<Item = &ImageContent> {
    message.content.iter().filter_map(|part| match part {
        Content::Image(image) => Some(image),
        Content::Text(_) | Content::Unknown(_) => None,
    })
}

fn count(message: &Message) -> usize {
    images(message).map(|image| image.image_urls.len()).sum()
}

fn size(message: &Message) -> usize {
    images(message)
        .flat_map(|image| &image.image_urls)
        .map(String::len)
        .sum()
}

/// The image of a data URL with no side longer than the limit, if it was larger and can be read.
async fn shrink(url: &str, limit: u32) -> Option<String> {
    if !url.starts_with("data:image/") {
        return None;
    }
    let url = url.to_owned();
    // Unpacking and resizing take long enough to hold up everything else on this thread.
    let shrunk = tokio::task::spawn_blocking(move || shrink_now(&url, limit)).await;
    shrunk.ok().flatten()
}

fn shrink_now(url: &str, limit: u32) -> Option<String> {
    let (_, data) = url.split_once(";base64,")?;
    let bytes = STANDARD.decode(data.trim()).ok()?;
    let reader = || {
        ImageReader::new(Cursor::new(&bytes))
            .with_guessed_format()
            .ok()
    };
    let (width, height) = reader()?.into_dimensions().ok()?;
    if width.max(height) <= limit {
        return None;
    }
    let mut reader = reader()?;
    let format = reader.format()?;
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_UNPACKED_BYTES);
    reader.limits(limits);
    let image = reader
        .decode()
        .inspect_err(|error| tracing::warn!(%error, width, height, "a large image cannot be read"))
        .ok()?;
    let mut image = image.resize(limit, limit, FilterType::Lanczos3);
    if format == ImageFormat::Jpeg {
        image = image.to_rgb8().into();
    }
    let mut out = Cursor::new(Vec::new());
    image
        .write_to(&mut out, format)
        .inspect_err(|error| tracing::warn!(%error, "a smaller image cannot be written"))
        .ok()?;
    Some(format!(
        "data:{};base64,{}",
        format.to_mime_type(),
        STANDARD.encode(out.into_inner())
    ))
}

#[cfg(test)]
#[path = "images_tests.rs"]
mod tests;

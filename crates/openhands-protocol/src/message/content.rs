//! Parts of a message: text and images.

use crate::schema::Telling;
use crate::union::union;
use crate::wire::wire;

wire! {
    /// A piece of text.
    pub struct TextContent ["type" = "text"] (default, closed) {
        /// Whether a prompt cache mark goes here.
        cache_prompt: bool = false,
        text: String,
    }

    /// One or more images, as URLs or data URLs.
    pub struct ImageContent ["type" = "image"] (default) {
        /// Whether a prompt cache mark goes here.
        cache_prompt: bool = false,
        image_urls: Vec<String>,
    }
}

union! {
    /// A part of a message.
    pub enum Content by "type" {
        Text(TextContent),
        Image(ImageContent),
    }
    told Telling::Trying
}

impl TextContent {
    /// A piece of text without a cache mark.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }
}

impl ImageContent {
    /// Images without a cache mark.
    pub fn new(image_urls: Vec<String>) -> Self {
        Self {
            image_urls,
            ..Self::default()
        }
    }
}

impl Content {
    /// A text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// An image part with one image.
    pub fn image(url: impl Into<String>) -> Self {
        Self::Image(ImageContent::new(vec![url.into()]))
    }

    /// The text, if it is a text part.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(part) => Some(&part.text),
            Self::Image(_) | Self::Unknown(_) => None,
        }
    }

    /// The text of all text parts, joined without a separator.
    pub fn join_text(parts: &[Self]) -> String {
        parts.iter().filter_map(Self::as_text).collect()
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

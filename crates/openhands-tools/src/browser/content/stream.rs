//! The visible content of a document as a flat stream of texts and elements.
//!
//! Flat, because a page nests its elements deeper than a JSON parser follows.

use serde::Deserialize;

/// The script that makes a stream: a function of what `page.js` knows.
pub const WALK: &str = include_str!("walk.js");

/// What a frame and the frames of its origin below it show.
#[derive(Debug, Clone, Deserialize)]
pub struct PageStream {
    /// The world that the stream comes from.
    pub token: String,
    /// How long the document is as HTML.
    pub html: usize,
    /// The content.
    pub stream: Vec<Item>,
}

/// One part of a stream. The three differ in their JSON type.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Item {
    /// Text as it stands in the document.
    Text(String),
    /// An element begins.
    Begin(Begin),
    /// The innermost element ends.
    End(u8),
}

/// The beginning of an element.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Begin(
    /// The tag's name.
    pub String,
    /// 1 if the element is shown as a block of its own.
    pub u8,
    /// What is told about some kinds of elements.
    #[serde(default)]
    pub Attributes,
);

impl Begin {
    /// The tag's name.
    pub fn tag(&self) -> &str {
        &self.0
    }

    /// Whether the element is shown as a block of its own.
    pub fn is_block(&self) -> bool {
        self.1 != 0
    }
}

/// What is told about links, images and numbered lists.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Attributes {
    /// Where a link leads.
    pub href: String,
    /// The text in place of an image.
    pub alt: String,
    /// Where an image comes from.
    pub src: String,
    /// The first number of a list.
    pub start: Option<i64>,
}

//! What one frame's script tells about the elements it has found.

use serde::Deserialize;
use serde_json::{Map, Value};

/// The elements of a frame and of the frames of its origin inside it.
#[derive(Debug, Clone, Deserialize)]
pub struct Scan {
    /// Tells the world of this document from that of another one in its place.
    pub token: String,
    /// The document's title.
    pub title: String,
    /// The elements near the visible part.
    pub elements: Vec<Listed>,
    /// How many others there are.
    pub left: Left,
    /// How many elements may have a shadow root that the script cannot see.
    pub suspects: usize,
    /// Width and height of what is visible.
    pub viewport: [f64; 2],
    /// Width and height of everything.
    pub page: [f64; 2],
    /// How far it is scrolled.
    pub scroll: [f64; 2],
}

/// One interactive element.
#[derive(Debug, Clone, Deserialize)]
pub struct Listed(
    /// Its number in its own world.
    pub u32,
    /// 1 if it is in the visible part.
    pub u8,
    /// Its tag.
    pub String,
    /// The beginning of its text.
    pub String,
    /// What else is to be told: placeholder, address, type, value and so on.
    pub Map<String, Value>,
);

/// How many elements are not listed, and why.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub struct Left {
    /// Far above.
    pub above: usize,
    /// Far below.
    pub below: usize,
    /// Behind something else.
    pub covered: usize,
    /// Too many.
    pub more: usize,
}

impl std::ops::AddAssign for Left {
    fn add_assign(&mut self, other: Self) {
        self.above += other.above;
        self.below += other.below;
        self.covered += other.covered;
        self.more += other.more;
    }
}

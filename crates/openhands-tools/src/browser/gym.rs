//! The browser as BrowserGym shows it: elements with ids, the accessibility tree as text, the page's text.
//!
//! ```text
//!   observe: mark.js in every frame ─► DOMSnapshot ──► Snapshot ─┬─► properties ─► boxes on the picture
//!                                  │                            └─► markup ─► Markdown
//!                                  ├► getFullAXTree per frame ─► one tree ─► text
//!                                  └► unmark.js
//! ```

mod aria;
mod axtree;
mod axtree_text;
mod glyphs;
mod mark;
mod markdown;
mod markup;
mod observe;
mod page_text;
mod properties;
mod python;
mod set_of_marks;
mod snapshot;

pub use axtree_text::axtree_text;
pub use observe::{GymObservation, observe};
pub use properties::{ElementProperties, Properties};

#[cfg(test)]
#[path = "gym_tests.rs"]
mod tests;

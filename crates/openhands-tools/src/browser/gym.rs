//! The browser as BrowserGym shows it: elements with ids, the accessibility tree as text, the page's text.
//!
//! ```text
//!   observe: mark.js in every frame ─► DOMSnapshot ──► Snapshot ─┬─► properties ─► boxes on the picture
//!                                  │                            └─► markup ─► Markdown
//!                                  ├► getFullAXTree per frame ─► one tree ─► text
//!                                  └► unmark.js
//!   Gym: text ─► language ─► perform ─► the page
//! ```

mod aria;
mod axtree;
mod axtree_text;
mod glyphs;
pub mod language;
mod mark;
mod markdown;
mod markup;
mod observe;
mod page_text;
mod perform;
mod properties;
mod python;
mod set_of_marks;
mod snapshot;

pub use axtree_text::axtree_text;
pub use observe::{GymObservation, observe};
pub use perform::Gym;
pub use properties::{ElementProperties, Properties};

#[cfg(test)]
#[path = "gym_tests.rs"]
mod tests;

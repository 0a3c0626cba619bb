//! The browser as BrowserGym shows it: elements with ids, the accessibility tree as text, the page's text.

mod aria;
mod axtree;
mod axtree_text;
mod markdown;
mod markup;
mod page_text;
mod properties;
mod python;
mod snapshot;

pub use axtree_text::axtree_text;
pub use properties::{ElementProperties, Properties};

#[cfg(test)]
#[path = "gym_tests.rs"]
mod tests;

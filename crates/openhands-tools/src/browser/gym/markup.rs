//! A page's markup, read again and laid out one tag a line: what the page's text is made of.
//!
//! The page's nodes are first written as plain markup (nothing escaped), read by rules of HTML 4 (implied ends, lost end
//! tags), and written again with one tag or text a line. The reading is that of libxml2 2.13 and the layout that of
//! Beautiful Soup 4.13, because the text that comes out must be the one that clients know.

mod entities;
mod layout;
mod reader;
mod scan;
mod tags;

use reader::Piece;

/// Markup, read and laid out again.
pub(super) fn tidy(markup: &str) -> String {
    layout::lines(&reader::read(markup))
}

#[cfg(test)]
#[path = "markup_tests.rs"]
mod tests;

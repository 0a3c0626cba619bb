//! The interactive elements of a page, under numbers that stay theirs while they are on it.
//!
//! Each frame that no other frame of its origin holds is looked at by one script in a world of its own (`page.js` and those
//! beside it), where the elements keep numbers of that world. [`Numbers`] makes of them the numbers that the model sees.

mod closed;
mod handle;
mod look;
mod numbers;
mod scan;

pub use handle::{Aim, Chosen, Entered, Field, Handle, origin_of};
pub use look::look;
pub(crate) use look::{ask, open_roots};
pub use numbers::{Numbers, Place};
pub use scan::{Left, Listed, Scan};

/// The script that knows a page's elements: a function that makes what it knows.
pub const PAGE: &str = concat!(
    "() => { const page = (\n",
    include_str!("elements/page.js"),
    ")(); Object.assign(page, (\n",
    include_str!("elements/describe.js"),
    ")(page)); Object.assign(page, (\n",
    include_str!("elements/scan.js"),
    ")(page)); Object.assign(page, (\n",
    include_str!("elements/act.js"),
    ")(page)); return page; }",
);
/// The script that tells which elements have a script that listens to clicks.
pub const CLICKS: &str = include_str!("elements/clicks.js");

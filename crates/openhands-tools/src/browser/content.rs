//! The text of a page: its visible content as Markdown, in pieces that a model can read.

mod filter;
mod markdown;
mod piece;
mod read;
mod stream;

pub use markdown::to_markdown;
pub use piece::{Extracted, report};
pub use read::read;
pub use stream::{PageStream, WALK};

//! What a conversation must do that no recording shows.

mod branches;
mod broken;
mod limits;
mod resting;
mod scene;
mod stopping;
mod talking;
mod watching;

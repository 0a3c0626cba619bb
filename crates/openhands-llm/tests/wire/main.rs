//! Models over real sockets, against a server that plays scripted HTTP answers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod bodies;
mod chat;
mod exchanges;
mod failures;
mod library;
mod library_losses;
mod messages;
mod pictures;
mod responses;
mod server;
mod subscription;
mod watched;

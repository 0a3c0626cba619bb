//! The browser: one engine, and the languages that agents speak to it.

pub mod gym;

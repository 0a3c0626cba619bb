//! A real browser, for two languages.

pub mod gym;

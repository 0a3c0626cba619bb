//! Changes, differences and commits of real repositories.

mod names;
mod recorded;
mod repository;
mod rules;

pub(crate) use repository::Repository;

//! The agent: what it makes of the model's replies, and how it notices that it goes in circles.

pub mod repair;
pub mod stuck;

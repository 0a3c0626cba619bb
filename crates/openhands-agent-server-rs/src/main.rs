//! The agent server's entry point.

fn main() {}

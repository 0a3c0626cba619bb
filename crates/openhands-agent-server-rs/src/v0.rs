//! The V0 server: what a sandbox of OpenHands 0.x runs.

pub(crate) mod mcp;
